// Nests folders in /tmp until no more can be made, each with the longest name that there is.
#include <sys/stat.h>

#include <string>

#include "probe.h"

int main() {
  const std::string name(255, 'n');
  int depth = 0;
  if (chdir("/tmp") != 0) return 3;
  for (; depth < 4096; ++depth) {
    if (mkdir(name.c_str(), 0700) != 0 || chdir(name.c_str()) != 0) break;
  }
  std::printf("DEPTH %d errno %d\n", depth, errno);
  return 0;
}
