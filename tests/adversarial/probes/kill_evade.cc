// Makes itself hard to kill: other ids, no death signal, a chain of vforks, a stopped parent, all
// signals blocked, and a tracer of its own. It says READY and stays.
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "probe.h"

namespace {

void resist() {
  prctl(PR_SET_PDEATHSIG, 0);
  setsid();
  for (unsigned id : {0U, 1U, 1001U, 65534U}) expect_refused("another uid", setresuid(id, id, id));
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
}

// Each waits, uninterruptibly, for the next one to exec or end.
[[noreturn]] void chain(int length) {
  while (length > 0 && syscall(SYS_vfork) == 0) --length;
  for (;;) pause();
}

}  // namespace

int main() {
  resist();
  expect_refused("being traced", ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
  if (fork() == 0) chain(5);
  if (fork() == 0) {
    const pid_t parent = getpid();
    if (fork() == 0) {
      kill(parent, SIGSTOP);
      for (;;) pause();
    }
    for (;;) pause();
  }
  verdict();
  std::puts("READY");
  std::fflush(stdout);
  for (;;) pause();
}
