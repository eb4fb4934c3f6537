#include "node-agent/sandbox/macos/group_guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "node-agent/sandbox/macos/descriptors.h"

namespace paddock::sandbox {
namespace {

constexpr int kTie = 0;

// Closes what the guard would otherwise hold open beyond the launcher's death: the run's lock above
// all.
void keep_only_tie() {
  for (const int fd : open_descriptors()) {
    if (fd != kTie) close(fd);
  }
}

// Until nobody is left who could fork once more.
void end_group(pid_t group) {
  constexpr int kTries = 500;
  constexpr int kPauseMs = 10;
  for (int i = 0; i < kTries && kill(-group, SIGKILL) == 0; ++i) poll(nullptr, 0, kPauseMs);
}

[[noreturn]] void guard(int tie, pid_t group) {
  setsid();  // what ends the launcher's group is not for us
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  if (dup2(tie, kTie) < 0) _exit(1);
  keep_only_tie();
  char told = 0;
  ssize_t count = 0;
  while ((count = read(kTie, &told, sizeof told)) < 0 && errno == EINTR) {
  }
  if (count != 1) end_group(group);
  _exit(0);
}

}  // namespace

Result<GroupGuard> GroupGuard::start(pid_t group) {
  ASSIGN_OR_RETURN(os::Pipe pipe, os::make_pipe());
  const pid_t pid = fork();
  if (pid < 0) return system_error("starting the run's guard", errno);
  if (pid == 0) {
    pipe.write.reset();
    guard(pipe.read.get(), group);
  }
  GroupGuard out;
  out.pid_ = pid;
  out.tie_ = std::move(pipe.write);
  return out;
}

GroupGuard::GroupGuard(GroupGuard&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), tie_(std::move(other.tie_)) {}

GroupGuard& GroupGuard::operator=(GroupGuard&& other) noexcept {
  release();
  pid_ = std::exchange(other.pid_, -1);
  tie_ = std::move(other.tie_);
  return *this;
}

void GroupGuard::release() {
  if (pid_ < 0) return;
  (void)os::write_all(tie_.get(), "!");
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  tie_.reset();
}

}  // namespace paddock::sandbox
