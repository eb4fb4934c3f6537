// Gives one file of its workspace many names, then waits to be ended.
#include <fcntl.h>

#include "probe.h"

int main() {
  close(open("one", O_CREAT | O_WRONLY, 0600));
  for (int i = 0; i < 400; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "name-%d", i);
    if (link("one", name) != 0) return 3;
  }
  for (;;) pause();
}
