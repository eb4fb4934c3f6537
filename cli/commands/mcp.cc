// `paddock mcp`: this host's agent talks to a controller through the Model Context Protocol, over
// stdin and stdout; a message per line. Nothing else is ever written to stdout.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "cli/client/connection.h"
#include "cli/commands/commands.h"
#include "cli/options/names.h"
#include "cli/terminal/error_text.h"
#include "common/client/controller_client.h"
#include "common/client/requests.h"
#include "common/contracts/version.h"
#include "common/mcp/tools.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr size_t kMostLine = 8 << 20;

// The real path, or nothing if there is none.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? std::string(real.get()) : std::string();
}

// Agents name folders; only those below the one that the user named may be sent.
Result<std::string> allowed_folder(const std::string& root, const std::string& wanted) {
  const std::string real = real_path(absolute_path(root, wanted));
  const bool below = real == root || real.starts_with(root == "/" ? root : root + "/");
  if (!real.empty() && below) return real;
  return Error{Code::kPermissionDenied,
               "FOLDER_DENIED",
               "only folders below the one that `paddock mcp --root` names are uploaded",
               {{"folder", "there is no such folder below it"}}};
}

class RemoteApi final : public mcp::Api {
 public:
  RemoteApi(const http::Endpoint& endpoint, std::string root)
      : client_(endpoint), http_(http::make_client(endpoint)), root_(std::move(root)) {}

  Result<wire::Value> send(const Ask& ask) override {
    if (ask.method == "GET") return client_.get(ask.target);
    if (ask.patience != Millis(0)) return client_.send(ask.method, ask.target, ask.body, ask.key);
    http::Request request = client::json_request(ask.method, ask.target, ask.body);
    request.timeout = Millis(0);
    return answer_of(request);
  }

  Result<wire::Value> put(const std::string& target, const std::string& bytes) override {
    http::Request request = client::stream_request("PUT", target);
    request.body = bytes;
    return answer_of(request);
  }

  Result<Part> read(const std::string& target, int64_t from, size_t limit) override {
    Part part;
    http::Request request;
    request.target = target;
    request.on_data = [&part, limit,
                       before = static_cast<size_t>(from)](std::string_view bytes) mutable {
      const size_t passed = std::min(before, bytes.size());
      before -= passed;
      bytes.remove_prefix(passed);
      const size_t room = limit - part.bytes.size();
      part.bytes += bytes.substr(0, room);
      part.more = bytes.size() > room;
      return !part.more;
    };
    ASSIGN_OR_RETURN(const http::Response response, http_->send(request));
    if (response.status / 100 != 2) return client::failure_of(response).error;
    const auto type = response.headers.find("content-type");
    part.json = type != response.headers.end() && type->second.starts_with("application/json");
    return part;
  }

  bool has_folders() const override { return true; }

  Result<Uploaded> upload(const std::string& name_space, const std::string& folder) override {
    ASSIGN_OR_RETURN(const std::string real, allowed_folder(root_, folder));
    ASSIGN_OR_RETURN(const cas::Scan scan, cas::scan_folder(real, {}));
    const std::string name = workspace_name(real);
    TRY(client_.upload_workspace(name_space, name, real, scan, [](const auto&) {}));
    return Uploaded{name, cas::tree_root(scan.tree)};
  }

  bool pause(Millis time) override {
    pause_.wait(time);
    return true;
  }

 private:
  Result<wire::Value> answer_of(const http::Request& request) {
    ASSIGN_OR_RETURN(const http::Response response, http_->send(request));
    if (response.status / 100 != 2) return client::failure_of(response).error;
    return client::parse_body(response);
  }

  client::ControllerClient client_;
  std::unique_ptr<http::Client> http_;
  std::string root_;
  client::InterruptiblePause pause_;
};

// The lines of stdin, one after another.
class Lines {
 public:
  enum class Next { kLine, kTooLong, kEnd };

  // What is beyond the bound is passed over.
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

void answer(const mcp::Server& server, const std::string& line, const Env& env) {
  const auto message = wire::parse_json(line);
  const mcp::Reply reply =
      message ? mcp::handle(server, *message) : mcp::parse_failure(message.error().message);
  if (reply.message) env.out.write(wire::to_json(*reply.message) + "\n");
}

Status serve(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   resolve_endpoint(connection_options(parsed), env));
  const std::string root = real_path(absolute_path(env.cwd, parsed.text("root", ".")));
  if (root.empty()) return invalid_argument("ROOT_NOT_FOUND", "there is no such folder", "--root");
  RemoteApi api(endpoint, root);
  const mcp::Server server =
      mcp::make_server(api, parsed.text("namespace", "default"), contracts::kProgramVersion);
  Lines lines;
  std::string line;
  while (true) {
    switch (lines.next(line)) {
      case Lines::Next::kEnd:
        return {};
      case Lines::Next::kTooLong:
        env.out.write(wire::to_json(*mcp::parse_failure("the message is too long").message) + "\n");
        break;
      case Lines::Next::kLine:
        if (!line.empty()) answer(server, line, env);
    }
  }
}

}  // namespace

int mcp_command(const Parsed& parsed, Env& env) {
  const Status done = serve(parsed, env);
  return done.ok() ? 0 : fail(env, done.error());
}

}  // namespace paddock::cli
