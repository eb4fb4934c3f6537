#include "node-agent/sandbox/linux/launcher/open_folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "common/os/fd.h"

namespace paddock::sandbox {
namespace {

// A block of 4 KiB has 340 names at most, of which the kernel takes 64 bytes each.
constexpr int64_t kBytesOfABlock = 22 << 10;
constexpr int64_t kMostOfAMessage = 253;  // descriptors (SCM_MAX_FD)
// Of a list: 96 bytes for a short name. On the disk it had 12 at least.
constexpr int64_t kBytesOfAName = 96;
constexpr int64_t kOfItsSize = kBytesOfAName / 12;

// These make up their names as they are read, or have them in memory that is the run's.
bool keeps_nothing(decltype(statfs::f_type) type) {
  return type == PROC_SUPER_MAGIC || type == TMPFS_MAGIC || type == DEVPTS_SUPER_MAGIC ||
         type == SYSFS_MAGIC || type == CGROUP_SUPER_MAGIC || type == CGROUP2_SUPER_MAGIC;
}

// Those that are there now, of all layers. The larger a name is, the more room stays empty.
int64_t bytes_of_names(int fds, const char* link) {
  const int fd = openat(fds, link, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> names(fd < 0 ? nullptr : fdopendir(fd), closedir);
  if (!names && fd >= 0) close(fd);
  int64_t out = 0;
  while (const dirent* entry = names ? readdir(names.get()) : nullptr)
    out += kBytesOfAName + 2 * static_cast<int64_t>(std::strlen(entry->d_name));
  return out;
}

}  // namespace

void OpenFolders::add_sender() { bytes_ += kMostOfAMessage * kBytesOfABlock; }

void OpenFolders::add(pid_t process, int descriptor, int fds, const char* link) {
  struct stat info {};
  if (fstatat(fds, link, &info, 0) != 0 || !S_ISDIR(info.st_mode)) return;
  const File file(info.st_dev, info.st_ino);
  const os::Fd folder(openat(fds, link, O_PATH | O_CLOEXEC));
  struct statfs system {};
  if (!folder.valid() || fstatfs(folder.get(), &system) != 0 || keeps_nothing(system.f_type) ||
      is_inherited(process, descriptor, file))
    return;
  bytes_ += kBytesOfABlock;
  if (system.f_type == OVERLAYFS_SUPER_MAGIC) bytes_ += list_of(fds, link, file, info.st_size);
}

// Whether it was counted with the process that opened it: the kernel says that both are one.
bool OpenFolders::is_inherited(pid_t process, int descriptor, const File& file) {
  const auto [known, is_new] = last_had_.try_emplace({file, descriptor}, process);
  if (is_new) return false;
  const long order = syscall(SYS_kcmp, known->second, process, KCMP_FILE, descriptor, descriptor);
  if (order == 0 || (order < 0 && errno == ENOSYS)) return true;
  known->second = process;
  return false;
}

// The names may have been removed since; of many file systems a folder that was large stays so.
int64_t OpenFolders::list_of(int fds, const char* link, const File& file, int64_t size) {
  const auto [known, is_new] = lists_.try_emplace(file, 0);
  if (is_new) known->second = std::max(kOfItsSize * size, bytes_of_names(fds, link));
  return known->second;
}

}  // namespace paddock::sandbox
