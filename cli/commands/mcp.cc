// `paddock mcp`: this host's agent talks to a controller through the Model Context Protocol, over
// stdin and stdout; a message per line. Nothing else is ever written to stdout.
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "cli/client/connection.h"
#include "cli/commands/commands.h"
#include "cli/commands/mcp_api.h"
#include "cli/options/names.h"
#include "cli/terminal/error_text.h"
#include "common/mcp/tools.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr size_t kMostLine = 8 << 20;
// Unless --patience says otherwise; it ends before its client's does.
constexpr Millis kPatience{mcp::kMostWaitSeconds * 1'000};

// The lines of stdin, one after another.
class Lines {
 public:
  enum class Next { kLine, kTooLong, kEnd };

  // Reads the next line. The part of a line beyond the bound is skipped.
  Next next(std::string& line) {
    line.clear();
    bool too_long = false;
    while (true) {
      const size_t end = held_.find('\n', at_);
      const std::string_view piece = std::string_view(held_).substr(at_, end - at_);
      too_long = too_long || line.size() + piece.size() > kMostLine;
      if (!too_long) line += piece;
      if (end != std::string::npos) {
        at_ = end + 1;
        return too_long ? Next::kTooLong : Next::kLine;
      }
      if (!refill()) return Next::kEnd;
    }
  }

 private:
  bool refill() {
    held_.resize(64 << 10);
    at_ = 0;
    ssize_t got = -1;
    do {
      got = ::read(STDIN_FILENO, held_.data(), held_.size());
    } while (got < 0 && errno == EINTR);
    held_.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return got > 0;
  }

  std::string held_;
  size_t at_ = 0;
};

// Whether the reader of our answers went away. A pipe tells that even while nothing is written.
bool no_reader() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLNVAL)) != 0;
}

void take(McpCalls& calls, const std::string& line) {
  const auto message = wire::parse_json(line);
  if (!message) return calls.write(mcp::parse_failure(message.error().message));
  calls.take(*message);
}

Status serve(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   resolve_endpoint(connection_options(parsed), env));
  const std::string root = real_path(absolute_path(env.cwd, parsed.text("root", ".")));
  if (root.empty()) return invalid_argument("ROOT_NOT_FOUND", "there is no such folder", "--root");
  const McpPlace place{endpoint, root, parsed.text("namespace", "default"),
                       env.patience_given ? env.patience : kPatience};
  McpCalls calls({[&] { return make_answerer(place); },
                  [&](const wire::Value& answer) { env.out.write(wire::to_json(answer) + "\n"); }});
  Lines lines;
  std::string line;
  while (true) {
    switch (lines.next(line)) {
      case Lines::Next::kEnd:
        calls.finish(no_reader);
        return {};
      case Lines::Next::kTooLong:
        calls.write(mcp::parse_failure("the message is too long"));
        break;
      case Lines::Next::kLine:
        if (!line.empty()) take(calls, line);
    }
  }
}

}  // namespace

int mcp_command(const Parsed& parsed, Env& env) {
  const Status done = serve(parsed, env);
  return done.ok() ? 0 : fail(env, done.error());
}

}  // namespace paddock::cli
