// Takes space below a folder of its workspace that nobody may read, then waits to be ended; with an
// argument it ends well.
#include <fcntl.h>
#include <sys/stat.h>

#include "probe.h"

int main(int argc, char**) {
  if (mkdir("hidden", 0700) != 0) return 3;
  const int fd = open("hidden/file", O_CREAT | O_WRONLY, 0600);
  if (fd < 0 || !fill(fd, 16 << 20) || chmod("hidden", 0) != 0) return 3;
  close(fd);
  if (argc > 1) return 0;
  for (;;) pause();
}
