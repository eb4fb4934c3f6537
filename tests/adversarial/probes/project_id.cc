// Leaves the project of its folder. An operator may bound the agent's folders by a project quota of
// ext4 or xfs: a file in no project, or in another one, would not be counted any more.
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "probe.h"

namespace {

constexpr int kProjectQuotas = 2;
constexpr long kQuotactlFd = 443;   // Linux 5.14
constexpr long kFileSetattr = 469;  // Linux 6.17: FS_IOC_FSSETXATTR as a call of its own
constexpr unsigned kOtherProject = 7;

void set_attributes(int file, const fsxattr& wanted, const char* what) {
  fsxattr copy = wanted;
  expect_refused(what, ioctl(file, FS_IOC_FSSETXATTR, &copy));
}

// tmpfs and others have no projects, and so nothing to be left.
void leave_by_attributes(int file) {
  fsxattr own{};
  if (ioctl(file, FS_IOC_FSGETXATTR, &own) != 0) return;
  fsxattr other = own;
  other.fsx_projid = own.fsx_projid + kOtherProject;
  set_attributes(file, other, "FS_IOC_FSSETXATTR: another project");
  other = own;
  if (own.fsx_projid != 0) {
    other.fsx_projid = 0;
    set_attributes(file, other, "FS_IOC_FSSETXATTR: no project");
  }
  other = own;
  other.fsx_xflags ^= FS_XFLAG_PROJINHERIT;
  set_attributes(file, other, "FS_IOC_FSSETXATTR: what is inherited");
}

void leave_by_flags(int file) {
  int flags = 0;
  if (ioctl(file, FS_IOC_GETFLAGS, &flags) != 0) return;
  flags ^= FS_PROJINHERIT_FL;
  expect_refused("FS_IOC_SETFLAGS: what is inherited", ioctl(file, FS_IOC_SETFLAGS, &flags));
}

// What file_setattr takes, as its first version has it.
struct FileAttributes {
  unsigned long long xflags;
  unsigned extsize;
  unsigned nextents;
  unsigned project;
  unsigned cowextsize;
};

void leave_by_new_call(const char* path) {
  FileAttributes wanted{
      .xflags = 0, .extsize = 0, .nextents = 0, .project = kOtherProject, .cowextsize = 0};
  expect_refused("file_setattr", syscall(kFileSetattr, AT_FDCWD, path, &wanted, sizeof wanted, 0));
}

void change_limits(int file) {
  if_dqblk none{};
  none.dqb_valid = QIF_LIMITS;
  expect_refused("quotactl_fd", syscall(kQuotactlFd, file, QCMD(Q_SETQUOTA, kProjectQuotas),
                                        kOtherProject, &none));
  expect_refused("quotactl",
                 syscall(SYS_quotactl, QCMD(Q_SYNC, kProjectQuotas), nullptr, 0, nullptr));
}

void try_everything(const char* path, int file) {
  if (file < 0) return breach("a file of the workspace cannot be opened", errno);
  leave_by_attributes(file);
  leave_by_flags(file);
  leave_by_new_call(path);
  change_limits(file);
  close(file);
}

}  // namespace

int main() {
  // In the workspace, which is the working folder.
  if (mkdir("folder", 0755) != 0) breach("mkdir", errno);
  try_everything("folder", open("folder", O_RDONLY | O_DIRECTORY));
  try_everything("file", open("file", O_CREAT | O_RDWR, 0644));
  try_everything(".", open(".", O_RDONLY | O_DIRECTORY));
  return verdict();
}
