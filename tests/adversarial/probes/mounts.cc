// The mount API, old and new, and what it would be used for.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "probe.h"

int main() {
  mkdir("/workspace/m", 0700);
  expect_refused("mount tmpfs", mount("none", "/workspace/m", "tmpfs", 0, nullptr));
  expect_refused("mount proc", mount("none", "/workspace/m", "proc", 0, nullptr));
  expect_refused("mount cgroup", mount("none", "/workspace/m", "cgroup", 0, "memory"));
  expect_refused("mount cgroup2", mount("none", "/workspace/m", "cgroup2", 0, nullptr));
  expect_refused("bind", mount("/", "/workspace/m", nullptr, MS_BIND | MS_REC, nullptr));
  expect_refused("remount the root writable",
                 mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr));
  expect_refused("umount /", umount2("/", MNT_DETACH));
  expect_refused("umount /proc", umount2("/proc", MNT_DETACH));
  expect_refused("umount /usr", umount2("/usr", MNT_DETACH));
  expect_refused("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
  expect_refused("fspick", syscall(SYS_fspick, AT_FDCWD, "/", 0));
  expect_refused("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/", 0));
  expect_refused("open_tree clone", syscall(SYS_open_tree, AT_FDCWD, "/", 1));
  expect_refused("move_mount",
                 syscall(SYS_move_mount, AT_FDCWD, "/usr", AT_FDCWD, "/workspace/m", 0));
  struct mount_attr attributes {};
  attributes.attr_clr = MOUNT_ATTR_RDONLY;
  expect_refused("mount_setattr",
                 syscall(SYS_mount_setattr, AT_FDCWD, "/usr", 0, &attributes, sizeof attributes));
  expect_refused("pivot_root", syscall(SYS_pivot_root, ".", "."));
  expect_refused("chroot", chroot("/workspace/m"));
  for (const char* path : {"/x", "/etc/x", "/usr/x", "/usr/bin/x", "/dev/x", "/run/x", "/var/x",
                           "/run/paddock/policy.json"}) {
    expect_refused(path, open(path, O_CREAT | O_WRONLY, 0644));
  }
  expect_refused("chmod of the system", chmod("/usr", 0777));
  expect_refused("chmod of /dev/null", chmod("/dev/null", 0));
  expect_refused("removing /etc/passwd", unlink("/etc/passwd"));
  expect_refused("replacing /bin", rename("/bin", "/workspace/bin"));
  // What the kernel lists of the mounts would name the host's folders.
  for (const char* list : {"/proc/self/mountinfo", "/proc/self/mounts", "/proc/self/mountstats",
                           "/proc/thread-self/mountinfo"}) {
    char text[1];
    const int fd = open(list, O_RDONLY);
    if (fd >= 0 && read(fd, text, 1) > 0) breach(list);
  }
  return verdict();
}
