// Nests folders deeper than any path can name, with its hoard at the bottom, then waits to be
// ended.
#include <fcntl.h>
#include <sys/stat.h>

#include <string>

#include "probe.h"

int main() {
  const std::string name(255, 'd');
  for (int i = 0; i < 300; ++i) {
    if (mkdir(name.c_str(), 0700) != 0 || chdir(name.c_str()) != 0) return 3;
  }
  const int fd = open("file", O_CREAT | O_WRONLY, 0600);
  if (fd < 0 || !fill(fd, 16 << 20)) return 3;
  for (;;) pause();
}
