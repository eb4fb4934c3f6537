// What every probe shares. A probe tries one way out of the sandbox and prints `BREACH <what>` for
// each thing it should not have managed; `CONTAINED` ends it if there was none.
#pragma once

#include <errno.h>
#include <sys/syscall.h>
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
inline int verdict() {
  if (breaches == 0) std::puts("CONTAINED");
  std::fflush(stdout);
  return breaches == 0 ? 0 : 99;
}
