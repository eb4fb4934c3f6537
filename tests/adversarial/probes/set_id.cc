// Tries to leave a program behind that runs with its owner's rights.
#include <fcntl.h>
#include <sys/stat.h>

#include "probe.h"

int main() {
  const char* file = "/workspace/tool";
  const int fd = open(file, O_CREAT | O_RDWR, 0755);
  if (fd < 0) breach("the workspace is not writable");
  for (const mode_t bits : {04755u, 02755u, 06755u}) {
    chmod(file, bits);
    fchmod(fd, bits);
    (void)!fchmodat(AT_FDCWD, file, bits, 0);  // what it did is looked at below
    syscall(452, AT_FDCWD, file, bits, 0);     // fchmodat2
    struct stat info {};
    fstat(fd, &info);
    if ((info.st_mode & 06000) != 0) breach("chmod", static_cast<long>(info.st_mode));
    for (const int flags : {O_CREAT | O_WRONLY, O_TMPFILE | O_WRONLY}) {
      const int made = open((flags & O_CREAT) != 0 ? "/workspace/made" : "/workspace", flags, bits);
      if (made >= 0 && fstat(made, &info) == 0 && (info.st_mode & 06000) != 0)
        breach("open", static_cast<long>(info.st_mode));
      unlink("/workspace/made");
    }
    if (mknod("/workspace/node", S_IFREG | bits, 0) == 0) {
      stat("/workspace/node", &info);
      if ((info.st_mode & 06000) != 0) breach("mknod", static_cast<long>(info.st_mode));
      unlink("/workspace/node");
    }
  }
  expect_refused("setuid", setuid(0));
  expect_refused("setgid", setgid(0));
  expect_refused("setresuid", setresuid(65534, 65534, 65534));
  return verdict();
}
