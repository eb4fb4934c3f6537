// Does not want to end: ignores every signal that it can, and keeps so many processes that one who
// kills them one after the other is too slow.
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string_view>

#include "probe.h"

namespace {

// Each process is gone as soon as the next one is there; with `sessions`, in a session of its own.
[[noreturn]] void hop(bool sessions) {
  for (;;) {
    if (fork() > 0) _exit(0);
    if (sessions) setsid();
  }
}

[[noreturn]] void spin() {
  for (volatile long i = 0;;) {
    const long next = i + 1;
    i = next;
  }
}

// All of one generation wait until the last of the next one is there.
[[noreturn]] void breed() {
  for (;;) {
    for (int i = 0; i < 4; ++i)
      if (fork() == 0) break;
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

[[noreturn]] void go(std::string_view how) {
  if (how == "breed") breed();
  if (how == "spin") spin();
  hop(how == "sessions");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  for (int signal = 1; signal < 65; ++signal) std::signal(signal, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
  const int count = std::atoi(argv[2]);
  for (int i = 0; i < count; ++i)
    if (fork() == 0) go(argv[1]);
  std::puts("READY");
  std::fflush(stdout);
  for (;;) pause();
}
