// paddock-sandbox: runs one command in a sandbox. See common/contracts/launch.h for what it reads
// and writes. Exit codes: 0 a result was written, 2 usage, 3 the lock is held, 1 anything else.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/lock_file.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/launch.h"
#include "node-agent/sandbox/options.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMaxRequestBytes = size_t{16} << 20;

Result<contracts::LaunchRequest> read_request(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, os::read_file(path, kMaxRequestBytes));
  ASSIGN_OR_RETURN(const wire::Value value,
                   wire::parse_json(text, {.max_bytes = kMaxRequestBytes}));
  return wire::decode<contracts::LaunchRequest>(value);
}

Result<os::Fd> open_events(const Options& options) {
  if (options.events_fd >= 0) {
    if (fcntl(options.events_fd, F_SETFD, FD_CLOEXEC) != 0)
      return system_error("the events descriptor", errno);
    return os::Fd(options.events_fd);
  }
  os::Fd file(
      open(options.events.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return system_error("opening the events file", errno);
  return file;
}

int fail(const Error& error) {
  (void)os::write_all(STDERR_FILENO, cat("paddock-sandbox: ", error.describe(), "\n"));
  if (error.reason == "LOCK_HELD") return 3;
  return 1;
}

contracts::SandboxResult unreadable(const Error& error) {
  contracts::SandboxResult result;
  result.reason = cat("INVALID_REQUEST: ", error.describe());
  return result;
}

int run(const Options& options, const Clock& clock) {
  hold_cancel_signals();
  std::optional<os::LockFile> lock;
  if (!options.lock.empty()) {
    auto acquired = os::LockFile::acquire(options.lock);
    if (!acquired.ok()) return fail(acquired.error());
    lock = std::move(acquired).value();
  }
  auto file = open_events(options);
  if (!file.ok()) return fail(file.error());
  EventWriter events(std::move(file).value(), clock);
  auto request = read_request(options.request);
  const contracts::SandboxResult result =
      request.ok() ? launch(*request, events, clock) : unreadable(request.error());
  events.add(contracts::FrameType::kResult, wire::to_json(wire::encode(result)));
  if (const Status written = events.write_rest(); !written.ok()) return fail(written.error());
  return 0;
}

int show_probe(const Clock& clock) {
  wire::Value list = wire::Value::Array{};
  for (const contracts::Capability& capability : probe(clock))
    list.push_back(wire::encode(capability));
  return os::write_all(STDOUT_FILENO, wire::to_pretty_json(list)).ok() ? 0 : 1;
}

int start(std::span<char* const> arguments) {
  signal(SIGPIPE, SIG_IGN);
  umask(077);
  const SystemClock clock;
  auto options = parse_options(arguments);
  if (!options.ok()) {
    (void)os::write_all(STDERR_FILENO,
                        cat("paddock-sandbox: ", options.error().message, "\n", usage()));
    return 2;
  }
  return options->mode == Options::Mode::kProbe ? show_probe(clock) : run(*options, clock);
}

}  // namespace
}  // namespace paddock::sandbox

int main(int argc, char** argv) { return paddock::sandbox::start({argv + 1, argv + argc}); }
