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

Error refusal(const std::string& relative, int errno_value) {
  const std::string name = to_utf8_lossy(base_name(relative));
  if (errno_value == ELOOP) {
    return invalid_argument("LINK_IN_PATH", cat("the path to ", name, " goes through a link"));
  }
  if (errno_value == EXDEV) {
    return invalid_argument("PATH_OUTSIDE_ROOT", cat("the path to ", name, " leaves its folder"));
  }
  return system_error(cat("opening ", name), errno_value);
}

Error odd_file(const std::string& relative) {
  return invalid_argument("NOT_A_REGULAR_FILE",
                          cat(to_utf8_lossy(base_name(relative)), " is not a regular file"));
}

}  // namespace

Fd open_child_folder(int parent, const std::string& name) {
  return openat2(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, kBeneath | RESOLVE_NO_XDEV);
}

bool grant_owner(int parent, const std::string& name) {
  const Fd fd = openat2(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0, kBeneath);
  return fd.valid() && ::chmod(cat("/proc/self/fd/", fd.get()).c_str(), 0700) == 0;
}

Result<Fd> open_root(const std::string& folder) {
  Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return system_error(cat("opening the folder ", base_name(folder)), errno);
  return fd;
}

Result<Fd> open_beneath(int root, const std::string& relative, int flags, mode_t mode) {
  if (relative.find('\0') != std::string::npos) {
    return invalid_argument("BAD_PATH", "a path must not have a NUL byte");
  }
  Fd fd = openat2(root, relative, flags, mode, kBeneath);
  if (!fd.valid()) return refusal(relative, errno);
  return fd;
}

Result<RegularFile> open_regular_file_beneath(int root, const std::string& relative) {
  // Looked at before it is opened: opening a device can have effects of its own.
  ASSIGN_OR_RETURN(const Fd look, open_beneath(root, relative, O_PATH | O_NOFOLLOW));
  struct stat info = {};
  if (::fstat(look.get(), &info) != 0) return refusal(relative, errno);
  if (S_ISLNK(info.st_mode)) return refusal(relative, ELOOP);
  if (!S_ISREG(info.st_mode)) return odd_file(relative);
  ASSIGN_OR_RETURN(Fd fd,
                   open_beneath(root, relative, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (::fstat(fd.get(), &info) != 0) return refusal(relative, errno);
  if (!S_ISREG(info.st_mode)) return odd_file(relative);
  return RegularFile{std::move(fd), info};
}

Result<RegularFile> open_linked_file_beneath(int root, const std::string& relative) {
  constexpr uint64_t kLinked = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const Fd look = openat2(root, relative, O_PATH, 0, kLinked);
  struct stat info = {};
  if (!look.valid() || ::fstat(look.get(), &info) != 0) return refusal(relative, errno);
  if (!S_ISREG(info.st_mode)) return odd_file(relative);
  Fd fd = openat2(root, relative, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, kLinked);
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) return refusal(relative, errno);
  if (!S_ISREG(info.st_mode)) return odd_file(relative);
  return RegularFile{std::move(fd), info};
}

Result<Fd> open_regular_beneath(int root, const std::string& relative) {
  ASSIGN_OR_RETURN(RegularFile file, open_regular_file_beneath(root, relative));
  return std::move(file.fd);
}

Status make_parents_beneath(int root, const std::string& relative) {
  Fd folder;
  int at = root;
  size_t start = 0;
  for (size_t slash = relative.find('/'); slash != std::string::npos;
       start = slash + 1, slash = relative.find('/', start)) {
    const std::string part = relative.substr(start, slash - start);
    if (part.empty() || part == "." || part == "..") {
      return invalid_argument("BAD_PATH", "a path must not have an empty, \".\" or \"..\" part");
    }
    if (::mkdirat(at, part.c_str(), 0755) != 0 && errno != EEXIST) return refusal(part, errno);
    ASSIGN_OR_RETURN(Fd next, open_beneath(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW));
    folder = std::move(next);
    at = folder.get();
  }
  return {};
}

}  // namespace paddock::os
