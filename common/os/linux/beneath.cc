// Paths from outside, resolved by openat2(2).
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/resolve.h"

namespace paddock::os {
namespace {

constexpr uint64_t kBeneath = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
constexpr int kTries = 64;  // EAGAIN: something was renamed while the kernel looked

Fd openat2(int root, const std::string& path, int flags, mode_t mode, uint64_t resolve) {
  open_how how = {};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  how.mode = creates ? mode & 07777 : 0;
  how.resolve = resolve;
  for (int i = 0; i < kTries; ++i) {
    const long fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
    if (fd >= 0) return Fd(static_cast<int>(fd));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return Fd();
}

}  // namespace

Fd open_child_folder(int parent, const std::string& name) {
  return openat2(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, kBeneath | RESOLVE_NO_XDEV);
}

bool grant_owner(int parent, const std::string& name) {
  const Fd fd = openat2(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0, kBeneath);
  return fd.valid() && ::chmod(cat("/proc/self/fd/", fd.get()).c_str(), 0700) == 0;
}

Result<Fd> open_beneath(int root, const std::string& relative, int flags, mode_t mode) {
  if (relative.find('\0') != std::string::npos) {
    return invalid_argument("BAD_PATH", "a path must not have a NUL byte");
  }
  Fd fd = openat2(root, relative, flags, mode, kBeneath);
  if (!fd.valid()) return path_refusal(relative, errno);
  return fd;
}

Result<RegularFile> open_regular_file_beneath(int root, const std::string& relative) {
  // Looked at before it is opened: opening a device can have effects of its own.
  ASSIGN_OR_RETURN(const Fd look, open_beneath(root, relative, O_PATH | O_NOFOLLOW));
  struct stat info = {};
  if (::fstat(look.get(), &info) != 0) return path_refusal(relative, errno);
  if (S_ISLNK(info.st_mode)) return path_refusal(relative, ELOOP);
  if (!S_ISREG(info.st_mode)) return not_regular(relative);
  ASSIGN_OR_RETURN(Fd fd,
                   open_beneath(root, relative, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (::fstat(fd.get(), &info) != 0) return path_refusal(relative, errno);
  if (!S_ISREG(info.st_mode)) return not_regular(relative);
  return RegularFile{std::move(fd), info};
}

Result<RegularFile> open_linked_file_beneath(int root, const std::string& relative) {
  constexpr uint64_t kLinked = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const Fd look = openat2(root, relative, O_PATH, 0, kLinked);
  struct stat info = {};
  if (!look.valid() || ::fstat(look.get(), &info) != 0) return path_refusal(relative, errno);
  if (!S_ISREG(info.st_mode)) return not_regular(relative);
  Fd fd = openat2(root, relative, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, kLinked);
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) return path_refusal(relative, errno);
  if (!S_ISREG(info.st_mode)) return not_regular(relative);
  return RegularFile{std::move(fd), info};
}

}  // namespace paddock::os
