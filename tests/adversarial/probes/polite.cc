// Cleans up when it is asked to end, as do its child in another session and its stopped child; with
// an argument it then goes on as if nothing had happened.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "probe.h"

namespace {

volatile sig_atomic_t asked = 0;

void wait_until_asked() {
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, nullptr);
  std::signal(SIGTERM, [](int) { asked = 1; });
  sigset_t none;
  sigemptyset(&none);
  (void)!write(1, "READY\n", 6);
  while (asked == 0) sigsuspend(&none);
}

}  // namespace

int main(int argc, char**) {
  for (const bool stopped : {false, true}) {
    if (const pid_t child = fork(); child != 0) {
      // Said once it stands still: nobody wakes who stops later.
      if (stopped && waitpid(child, nullptr, WUNTRACED) == child) (void)!write(1, "READY\n", 6);
      continue;
    }
    setsid();
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, nullptr);
    if (!stopped) (void)!write(1, "READY\n", 6);
    if (stopped) raise(SIGSTOP);
    int signal = 0;
    sigwait(&term, &signal);
    (void)!write(1, "CHILD CLEANED\n", 14);
    _exit(0);
  }
  kill(1, SIGTERM);  // this one is not handed on
  wait_until_asked();
  while (wait(nullptr) > 0) {
  }
  (void)!write(1, "CLEANED\n", 8);
  if (argc > 1) {
    for (;;) pause();
  }
  return 7;
}
