// Starting programs with vfork: the child runs in the parent's memory until it execs, so it does
// nothing but system calls on values prepared before.
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "common/os/spawn_plan.h"

namespace paddock::os {
namespace {

// Everything the child needs, as plain pointers.
struct Plan {
  const char* program = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  const char* cwd = nullptr;  // null: inherited
  std::array<int, 3> stdio = {-1, -1, -1};
  const int* keep = nullptr;
  size_t keep_count = 0;
  bool new_session = false;
  int report = -1;  // errno goes here if the program cannot be started
};

void default_signals() {
  // The kernel's own struct, all zero: SIG_DFL. glibc's sigaction refuses signals 32 and 33, which
  // a parent may have left ignored.
  const unsigned long action[4] = {};
  for (int signal = 1; signal < NSIG; ++signal)
    ::syscall(SYS_rt_sigaction, signal, action, nullptr, sizeof(unsigned long));
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Puts the three standard descriptors in place even if the sources are themselves among 0, 1 and 2.
bool place_stdio(const Plan& plan) {
  std::array<int, 3> sources = {};
  for (size_t i = 0; i < sources.size(); ++i) {
    sources[i] = ::fcntl(plan.stdio[i], F_DUPFD_CLOEXEC, 3);
    if (sources[i] < 0) return false;
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    if (::dup2(sources[i], static_cast<int>(i)) < 0) return false;
  }
  return true;
}

bool inherit_only(const Plan& plan) {
  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return false;
  for (size_t i = 0; i < plan.keep_count; ++i) {
    if (::fcntl(plan.keep[i], F_SETFD, 0) != 0) return false;
  }
  return true;
}

[[noreturn]] void become(const Plan& plan) {
  if ((!plan.new_session || ::setsid() >= 0) && (plan.cwd == nullptr || ::chdir(plan.cwd) == 0) &&
      place_stdio(plan) && inherit_only(plan)) {
    default_signals();
    ::execve(plan.program, plan.argv, plan.envp);
  }
  const int failure = errno;
  (void)!::write(plan.report, &failure, sizeof failure);
  ::_exit(127);
}

// Signals are blocked around it: a handler of ours must not run in the child.
[[gnu::noinline]] pid_t start(const Plan& plan) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::vfork();  // NOLINT: see the top of the file
  if (pid == 0) become(plan);   // NOLINT: it makes system calls only
  const int failure = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = failure;
  return pid;
}

// 0 once the program runs, else the errno that stopped it.
int reported(const Fd& report) {
  int failure = 0;
  ssize_t got = 0;
  do {
    got = ::read(report.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof failure) ? failure : 0;
}

}  // namespace

Result<pid_t> spawn(const SpawnOptions& options) {
  TRY(check(options));
  const SpawnPlan texts(options);
  if (!texts.null.valid()) return system_error(texts.doing, errno);
  ASSIGN_OR_RETURN(Pipe report, make_pipe());

  Plan plan;
  plan.program = texts.argv[0];
  plan.argv = texts.argv.data();
  plan.envp = texts.env.data();
  plan.cwd = options.cwd.empty() ? nullptr : options.cwd.c_str();
  plan.stdio = texts.stdio;
  plan.keep = options.keep_fds.data();
  plan.keep_count = options.keep_fds.size();
  plan.new_session = options.new_session;
  plan.report = report.write.get();

  const pid_t pid = start(plan);
  if (pid < 0) return system_error(texts.doing, errno);
  report.write.reset();
  if (const int failure = reported(report.read); failure != 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
    return system_error(texts.doing, failure);
  }
  return pid;
}

}  // namespace paddock::os
