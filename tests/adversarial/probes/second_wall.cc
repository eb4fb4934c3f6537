// What the mounts would allow and Landlock alone refuses: procfs takes a write to a process's own
// name and its own adjustments, and the init process has the same owner as this one.
#include <fcntl.h>
#include <signal.h>

#include "probe.h"

int main() {
  for (const char* file : {"/proc/self/comm", "/proc/self/oom_score_adj",
                           "/proc/self/coredump_filter", "/proc/self/timerslack_ns"}) {
    const int fd = open(file, O_WRONLY);
    if (fd >= 0) breach(file, write(fd, "x", 1));
    if (fd < 0 && errno != EACCES) breach(file, errno);
  }
  const int reading = open("/proc/self/comm", O_RDONLY);
  if (reading < 0) breach("reading is allowed", errno);
  if (kill(1, 0) == 0 || errno != EPERM) breach("a signal to init", errno);
  return verdict();
}
