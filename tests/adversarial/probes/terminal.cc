// Types into a terminal that may be somebody else's, also with the upper half of the argument set.
#include <asm/ioctls.h>
#include <sys/ioctl.h>

#include "probe.h"

int main() {
  char key = 'x';
  for (const unsigned long request :
       {static_cast<unsigned long>(TIOCSTI), static_cast<unsigned long>(TIOCLINUX)}) {
    for (const unsigned long upper : {0UL, 1UL << 32, 0xffffffffUL << 32}) {
      expect_refused("ioctl", syscall(SYS_ioctl, 1, upper | request, &key));
      if (errno != EPERM) breach("the request reached the device", errno);
    }
  }
  return verdict();
}
