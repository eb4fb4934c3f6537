// Looks for descriptors that the launcher forgot to close, and for a way through them.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "probe.h"

// With an argument: of an attached run, whose standard input is a socket that its client holds.
int main(int argc, char**) {
  for (int fd = 3; fd < 4096; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) breach("an open descriptor", fd);
  }
  struct stat info {};
  const bool there = fstat(0, &info) == 0;
  if (argc > 1) {
    if (!there || !S_ISSOCK(info.st_mode)) breach("stdin is not the client's socket");
  } else if (!there || !S_ISCHR(info.st_mode) || info.st_rdev != makedev(1, 3)) {
    breach("stdin is not /dev/null");
  }
  for (int fd = 1; fd <= 2; ++fd) {
    if (fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode)) breach("output is not a pipe", fd);
    expect_refused("a path below a pipe", openat(fd, "..", O_RDONLY));
    expect_refused("fchdir to a pipe", fchdir(fd));
  }
  char cwd[4096];
  if (getcwd(cwd, sizeof cwd) == nullptr || cwd[0] != '/' ||
      std::strncmp(cwd, "/workspace", 10) != 0)
    breach("working folder outside");
  int up = open("/", O_PATH | O_DIRECTORY);
  for (int i = 0; i < 64; ++i) {
    const int next = openat(up, "..", O_PATH | O_DIRECTORY);
    close(up);
    up = next;
  }
  struct stat root {};
  stat("/", &root);
  if (fstat(up, &info) != 0 || info.st_ino != root.st_ino || info.st_dev != root.st_dev)
    breach("climbed above the root");
  return verdict();
}
