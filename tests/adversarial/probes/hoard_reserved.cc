// Has space set aside without writing anything, in every way that the kernel knows: a whole disk in
// the time between two looks. Breaks out of its 8 MiB if it ever has more than 32 MiB.
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <array>
#include <thread>
#include <vector>

#include "probe.h"

namespace {

constexpr long kMost = 32L << 20;
constexpr long kWhole = 1L << 30;
constexpr size_t kThreads = 4;
constexpr int kFilesEach = 5;
constexpr long kPiece = 4L << 20;

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

int file_of(int thread, int number) {
  char name[32];
  std::snprintf(name, sizeof name, "reserved-%d-%d", thread, number);
  return open(name, O_CREAT | O_RDWR, 0600);
}

long held(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 ? info.st_blocks * 512 : 0;
}

// By the filter: the kernel's own answer depends on the file system.
void expect_forbidden(const char* what, long result) {
  if (result >= 0 || errno != EPERM) breach(what, errno);
}

void expect_little(const char* what, int fd) {
  if (const long bytes = held(fd); bytes > kMost) breach(what, bytes >> 20);
}

void try_at_once() {
  const int fd = file_of(0, 0);
  expect_refused("fallocate", fallocate(fd, 0, 0, kWhole));
  expect_refused("beyond its size", fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, kWhole));
  expect_refused("zeroes", fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0, kWhole));
  SpaceRange range{0, SEEK_SET, 0, kWhole, 0, 0, {}};
  expect_forbidden("FS_IOC_RESVSP64", ioctl(fd, kTakeSpace64, &range));
  expect_forbidden("FS_IOC_ZERO_RANGE", ioctl(fd, kZeroRange, &range));
  expect_little("at once", fd);
  const int folder = open(".", O_RDONLY | O_DIRECTORY);
  SubvolumeName name{0, "subvolume"};
  expect_forbidden("BTRFS_IOC_SUBVOL_CREATE", ioctl(folder, kNewSubvolume, &name));
  close(folder);
  close(fd);
}

// Each piece would do no harm by itself.
long take_pieces(int thread) {
  long sum = 0;
  for (int i = 1; i <= kFilesEach; ++i) {
    const int fd = file_of(thread, i);
    if (fd < 0) continue;
    fallocate(fd, i % 2 == 0 ? FALLOC_FL_KEEP_SIZE : 0, 0, kPiece);
    sum += held(fd);
    close(fd);
  }
  return sum;
}

}  // namespace

int main() {
  std::signal(SIGXFSZ, SIG_IGN);
  try_at_once();
  std::array<long, kThreads> sums{};
  std::vector<std::thread> threads;
  int number = 0;
  for (long& sum : sums) threads.emplace_back([&sum, i = number++] { sum = take_pieces(i); });
  for (std::thread& each : threads) each.join();
  long sum = 0;
  for (const long each : sums) sum += each;
  if (sum > kMost) breach("in pieces", sum >> 20);
  return verdict();
}
