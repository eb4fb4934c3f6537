// What every probe shares. A probe tries one way out of the sandbox and prints `BREACH <what>` for
// each thing it should not have managed; `CONTAINED` ends it if there was none.
#pragma once

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>

inline int breaches = 0;

inline void breach(const char* what, long detail = 0) {
  ++breaches;
  std::printf("BREACH %s (%ld)\n", what, detail);
}
inline void expect_refused(const char* what, long result) {
  if (result >= 0) breach(what, result);
}
// Writes so much to the file: what is only set aside is refused sooner.
inline bool fill(int fd, long bytes) {
  static const char block[64 << 10] = {};
  for (long done = 0; done < bytes;) {
    const long n = write(fd, block, sizeof block);
    if (n <= 0) return false;
    done += n;
  }
  return true;
}
// A child takes what `take` does and holds it; it is killed after a minute, and another one begins.
// Where the launcher looks at what the whole host has of something, other programs that give back
// as much at the same moment hide what one takes: by chance, and not each time.
template <class Take>
[[noreturn]] inline void take_again_and_again(const Take& take) {
  constexpr int kLooks = 600;
  for (;;) {
    const pid_t child = fork();
    if (child < 0) _exit(3);
    if (child == 0) {
      setpgid(0, 0);
      take();
      _exit(3);
    }
    for (int i = 0; i < kLooks; ++i) {
      if (waitpid(child, nullptr, WNOHANG) != 0) _exit(3);
      usleep(100'000);
    }
    kill(-child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}
inline int verdict() {
  if (breaches == 0) std::puts("CONTAINED");
  std::fflush(stdout);
  return breaches == 0 ? 0 : 99;
}
