// Writes one byte at a time, NULs and broken UTF-8 among them, to both streams, and to its output
// last, then stays.
#include "probe.h"

int main() {
  const char bytes[] = {'a', '\0', '\xc3', '\x28', '\xff', '\n', '\x1b'};
  for (int i = 0; i < 3000; ++i) {
    for (int fd : {2, 1}) (void)!write(fd, &bytes[i % 7], 1);
  }
  for (;;) pause();
}
