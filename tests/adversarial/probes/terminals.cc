// Pseudo-terminals work, are the run's own, and are no way to anything else.
#include <asm/ioctls.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "probe.h"

int main() {
  const int first = open("/dev/ptmx", O_RDWR | O_NOCTTY);
  if (first < 0) return breach("no terminal", errno), verdict();
  unsigned number = 99;
  // Those of a sandbox begin with 0: they are counted with nobody else's.
  if (ioctl(first, TIOCGPTN, &number) != 0 || number != 0) breach("somebody else's", number);
  grantpt(first);
  unlockpt(first);
  const int slave = open("/dev/pts/0", O_RDWR | O_NOCTTY);
  if (slave < 0 || write(slave, "x", 1) != 1) breach("a terminal is of no use", errno);
  char byte = 0;
  if (read(first, &byte, 1) != 1 || byte != 'x') breach("a terminal says nothing", errno);
  int hdlc = 13;
  expect_refused("a line discipline", ioctl(slave, TIOCSETD, &hdlc));
  expect_refused("typing", ioctl(slave, TIOCSTI, "y"));
  expect_refused("the console", ioctl(slave, TIOCCONS, 0));
  expect_refused("a node", mknod("/dev/pts/9", S_IFCHR | 0600, 0x501));
  expect_refused("a file", open("/dev/pts/new", O_WRONLY | O_CREAT, 0600));
  for (const char* host : {"/dev/tty", "/dev/console", "/dev/tty0", "/dev/pts/../tty"})
    expect_refused(host, open(host, O_RDWR | O_NOCTTY));
  std::vector<int> more;
  for (int fd = 0; more.size() < 200 && (fd = open("/dev/ptmx", O_RDWR | O_NOCTTY)) >= 0;)
    more.push_back(fd);
  if (more.size() >= 32) breach("terminals without end", static_cast<long>(more.size()));
  return verdict();
}
