// Opens each path of the host that the arguments name: none may be there.
#include <fcntl.h>

#include "probe.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) expect_refused(argv[i], open(argv[i], O_RDONLY));
  for (const char* path :
       {"/etc/shadow", "/etc/ssh", "/etc/gshadow", "/root", "/home", "/var/lib", "/opt", "/mnt",
        "/srv", "/boot", "/proc/1/root/etc/shadow", "/workspace/../etc/shadow", "/root/.ssh/id_rsa",
        "/root/.aws/credentials"}) {
    expect_refused(path, open(path, O_RDONLY));
  }
  if (symlink("/etc/shadow", "/workspace/link") != 0) breach("no link can be made to try with");
  expect_refused("a link to a secret", open("/workspace/link", O_RDONLY));
  return verdict();
}
