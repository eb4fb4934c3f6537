// Forks as fast as it can, for ever; prints how many were alive when the limit was reached.
#include <signal.h>

#include "probe.h"

int main() {
  int alive = 1;
  for (;;) {
    const pid_t child = fork();
    if (child < 0) break;
    if (child == 0) {
      setsid();
      for (;;) pause();
    }
    if (++alive > 5000) break;
  }
  std::printf("ALIVE %d\n", alive);
  std::fflush(stdout);
  for (;;) {
    if (fork() == 0) {
      for (;;) fork();
    }
  }
}
