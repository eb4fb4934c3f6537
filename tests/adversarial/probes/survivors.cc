// Leaves processes behind in every way known, says so, and ends (or, with an argument, stays).
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "probe.h"

int main(int argc, char**) {
  for (int i = 0; i < 12; ++i) {
    const pid_t child = fork();
    if (child < 0) break;
    if (child == 0) {
      setsid();
      prctl(PR_SET_PDEATHSIG, 0);
      for (int signal = 1; signal < 65; ++signal) std::signal(signal, SIG_IGN);
      if (fork() > 0) _exit(0);
      if (i % 3 == 0) raise(SIGSTOP);
      for (;;) pause();  // holding stdout and stderr open
    }
    waitpid(child, nullptr, i % 3 == 0 ? WNOHANG : 0);
  }
  std::puts("CONTAINED");
  std::fflush(stdout);
  if (argc > 1) {
    for (int signal = 1; signal < 65; ++signal) std::signal(signal, SIG_IGN);
    for (;;) pause();
  }
  return 0;
}
