// Takes space in its workspace, two mebibytes at a time: `at-once` and then ends well, else it
// waits to be ended.
#include <fcntl.h>

#include "probe.h"

int main(int argc, char**) {
  for (int i = 0; i < 8; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "hoard-%d", i);
    const int fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (fd < 0 || !fill(fd, 2 << 20)) return 3;
    close(fd);
  }
  if (argc > 1) return 0;
  for (;;) pause();
}
