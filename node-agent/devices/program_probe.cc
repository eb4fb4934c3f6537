#include "node-agent/devices/program_probe.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>

#include "common/os/fd.h"
#include "common/os/process.h"

namespace paddock::devices {
namespace {

using Steady = std::chrono::steady_clock;

constexpr size_t kMaxReport = 1 << 20;

Error not_started(const char* what) {
  return {Code::kUnavailable, kProgramNotStarted, std::string("it cannot be asked: ") + what};
}

Error silent() { return {Code::kUnavailable, kProgramSilent, "it does not answer"}; }

// Reads until the other end closes; nothing if that takes too long or there is too much.
std::optional<std::string> read_until(int fd, Steady::time_point deadline) {
  std::string text;
  char piece[4096];
  while (text.size() <= kMaxReport) {
    const auto left = std::chrono::duration_cast<Millis>(deadline - Steady::now()).count();
    pollfd wait = {fd, POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    const ssize_t got = ::read(fd, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(piece, static_cast<size_t>(got));
  }
  return std::nullopt;
}

bool reaped(pid_t pid, int options) {
  int status = 0;
  pid_t got = 0;
  while ((got = ::waitpid(pid, &status, options)) < 0 && errno == EINTR) {
  }
  return got != 0;  // also when it is no child of ours any more
}

// SIGKILL takes a process that waits in the kernel only when the kernel lets it go.
bool dies(pid_t pid) {
  constexpr int kTries = 50;
  constexpr int kPauseMs = 10;
  ::kill(pid, SIGKILL);
  for (int i = 0; i < kTries; ++i) {
    if (reaped(pid, WNOHANG)) return true;
    ::poll(nullptr, 0, kPauseMs);
  }
  return false;
}

}  // namespace

ProgramProbe::~ProgramProbe() { (void)still_held(); }

bool ProgramProbe::still_held() {
  if (held_ != 0 && reaped(held_, WNOHANG)) held_ = 0;
  return held_ != 0;
}

Result<std::string> ProgramProbe::ask() {
  if (still_held()) return silent();
  auto pipe = os::make_pipe();
  if (!pipe) return not_started("no pipe");
  os::SpawnOptions options;
  options.argv = command_;
  options.stdout_fd = pipe->write.get();
  const Result<pid_t> pid = os::spawn(options);
  pipe->write.reset();
  if (!pid) return not_started("no process");
  auto text = read_until(pipe->read.get(), Steady::now() + patience_);
  if (!text) {
    if (!dies(*pid)) held_ = *pid;
    return silent();
  }
  if (!reaped(*pid, 0)) return silent();
  return std::move(*text);
}

}  // namespace paddock::devices
