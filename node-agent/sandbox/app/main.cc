// paddock-sandbox: runs one command in a sandbox. See common/contracts/launch.h for what it reads
// and writes. Exit codes: 0 a result was written, 2 usage, 3 the lock is held, 1 anything else.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/os/lock_file.h"
#include "common/os/signals.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/app/options.h"
#include "node-agent/sandbox/backend/canary_attempts.h"
#include "node-agent/sandbox/backend/launch.h"
#include "node-agent/sandbox/backend/serve.h"
#include "node-agent/sandbox/result/request.h"

namespace paddock::sandbox {
namespace {

Result<contracts::LaunchRequest> open_request(const Options& options) {
  if (options.request_fd >= 0) return read_request(os::Fd(options.request_fd));
  const os::Fd file(open(options.request.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.valid()) return system_error("opening the request", errno);
  return read_request(file);
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
  Remains remains;
  const Status answered = answer(open_request(options), events, [&](const auto& request) {
    return launch(request, events, clock, remains);
  });
  if (!answered.ok()) return fail(answered.error());
  return 0;
}

int show_probe(const Clock& clock) {
  const wire::Value proof = wire::encode(probe(clock));
  return os::write_all(STDOUT_FILENO, wire::to_pretty_json(proof)).ok() ? 0 : 1;
}

int start(std::span<char* const> arguments) {
  // A command must not inherit that our caller ignores a signal.
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  os::ignore_signals_of_writes();
  umask(077);
  // Never destroyed: a thread that was left behind (linux/notify/answerer.h) may ask it until the
  // last.
  const SystemClock& clock = *new SystemClock;
  auto options = parse_options(arguments);
  if (!options.ok()) {
    (void)os::write_all(STDERR_FILENO,
                        cat("paddock-sandbox: ", options.error().message, "\n", usage()));
    return 2;
  }
  const bool launches =
      options->mode != Options::Mode::kBroker && options->mode != Options::Mode::kCanary;
  if (launches) uncover_proc();
  // A host where this fails lets no command have its limits either, and that is in the result.
  if (const Status limited = launches ? take_own_limits() : Status(); !limited.ok())
    (void)fail(limited.error());
  switch (options->mode) {
    case Options::Mode::kRun:
      return run(*options, clock);
    case Options::Mode::kServe:
      return serve(options->serve, clock);
    case Options::Mode::kBroker:
      hold_cancel_signals();  // the launcher decides when its run is over
      return run_broker(options->broker, clock);
    case Options::Mode::kCanary:
      _exit(try_canaries(options->canary));  // nothing of a test build runs after it
    case Options::Mode::kProbe:
      break;
  }
  return show_probe(clock);
}

}  // namespace
}  // namespace paddock::sandbox

int main(int argc, char** argv) { return paddock::sandbox::start({argv + 1, argv + argc}); }
