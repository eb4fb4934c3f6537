// Takes memory in files that no folder shows: memfd, and removed but open in the scratch space.
#include <fcntl.h>
#include <sys/mman.h>

#include "probe.h"

int main(int argc, char**) {
  static char block[1 << 20];
  for (int i = 0;; ++i) {
    const int fd = argc > 1 ? open("/tmp", O_TMPFILE | O_RDWR, 0600) : memfd_create("hoard", 0);
    if (fd < 0) break;
    long total = 0;
    ssize_t n = 0;
    while (total < (8L << 20) && (n = write(fd, block, sizeof block)) > 0) total += n;
    if (n <= 0) {
      std::printf("REFUSED after %ld MiB\n", (i * 8L) + (total >> 20));
      return 0;
    }
  }
  return 3;
}
