// Takes space in files without a name: removed while open in a grandchild's thread with a table of
// its own, never named, or (with an argument) removed, closed and only mapped.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "probe.h"

namespace {

constexpr off_t kPiece = 4 << 20;

int nameless(bool never_named) {
  const int fd = never_named ? open(".", O_TMPFILE | O_RDWR, 0600) : -1;
  const int file = fd >= 0 ? fd : open("short-lived", O_CREAT | O_RDWR, 0600);
  if (fd < 0) unlink("short-lived");
  if (file < 0 || !fill(file, kPiece)) _exit(3);
  return file;
}

}  // namespace

int main(int argc, char**) {
  for (int i = 0; i < 4; ++i) {
    if (argc > 1) {
      const int file = nameless(false);
      if (mmap(nullptr, kPiece, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED) return 3;
      close(file);
    } else if (fork() == 0) {
      if (fork() != 0) _exit(0);
      unshare(CLONE_FILES);
      nameless(i % 2 == 0);
      for (;;) pause();
    }
  }
  for (;;) pause();
}
