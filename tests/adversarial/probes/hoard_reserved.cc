// Has space set aside without writing anything, in every way that the kernel knows: a whole disk in
// the time between two looks, and more than a file may have.
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "probe.h"

namespace {

constexpr long kWhole = 1L << 30;

// struct space_resv of the kernel.
struct SpaceRange {
  short type;
  short whence;
  long start;
  long length;
  int system;
  unsigned process;
  int pad[4];
};
constexpr unsigned long kTakeSpace64 = _IOW('X', 42, SpaceRange);
constexpr unsigned long kZeroRange = _IOW('X', 57, SpaceRange);
// To whoever measures the folder a subvolume is another file system.
struct SubvolumeName {
  long descriptor;
  char text[4088];
};
constexpr unsigned long kNewSubvolume = _IOW(0x94, 14, SubvolumeName);

// By the filter: the kernel's own answer depends on the file system.
void expect_answer(int error, const char* what, long result) {
  if (result >= 0 || errno != error) breach(what, errno);
}

void take(int fd, const char* where) {
  for (const int mode : {0, FALLOC_FL_KEEP_SIZE, FALLOC_FL_ZERO_RANGE, FALLOC_FL_INSERT_RANGE,
                         FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, FALLOC_FL_UNSHARE_RANGE})
    expect_answer(EOPNOTSUPP, where, fallocate(fd, mode, 0, kWhole));
  struct stat info {};
  if (fstat(fd, &info) != 0 || info.st_blocks != 0) breach("has blocks", info.st_blocks);
}

}  // namespace

int main() {
  const int fd = open("reserved", O_CREAT | O_RDWR, 0600);
  take(fd, "in the workspace");
  take(memfd_create("reserved", 0), "in memory");
  SpaceRange range{0, SEEK_SET, 0, kWhole, 0, 0, {}};
  expect_answer(EPERM, "FS_IOC_RESVSP64", ioctl(fd, kTakeSpace64, &range));
  expect_answer(EPERM, "FS_IOC_ZERO_RANGE", ioctl(fd, kZeroRange, &range));
  fsxattr hints{};  // with them XFS takes so much for the first byte that is written
  hints.fsx_xflags = FS_XFLAG_EXTSIZE;
  hints.fsx_extsize = kWhole;
  expect_answer(EPERM, "FS_IOC_FSSETXATTR", ioctl(fd, FS_IOC_FSSETXATTR, &hints));
  const int folder = open(".", O_RDONLY | O_DIRECTORY);
  SubvolumeName name{0, "subvolume"};
  expect_answer(EPERM, "BTRFS_IOC_SUBVOL_CREATE", ioctl(folder, kNewSubvolume, &name));
  return verdict();
}
