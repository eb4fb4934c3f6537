// Paths from outside on macOS: resolved by the kernel, no link followed (O_NOFOLLOW_ANY, macOS 11).
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

#include <climits>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/resolve.h"

namespace paddock::os {
namespace {

Status check_parts(const std::string& relative) {
  if (relative.find('\0') != std::string::npos)
    return invalid_argument("BAD_PATH", "a path must not have a NUL byte");
  if (relative.starts_with('/')) return path_refusal(relative, EXDEV);
  for (const std::string& part : split(relative, '/')) {
    if (part == "..") return path_refusal(relative, EXDEV);
  }
  return {};
}

// Where an open file is now, links resolved.
std::string path_of(int fd) {
  std::array<char, PATH_MAX> path{};
  return ::fcntl(fd, F_GETPATH, path.data()) == 0 ? path.data() : "";
}

bool lies_beneath(int root, int file) {
  const std::string above = path_of(root);
  return !above.empty() && path_of(file).starts_with(above == "/" ? above : cat(above, "/"));
}

// Looked at before it is opened: opening a device can have effects of its own. Links on the way are
// for openat() to refuse.
Status look(int root, const std::string& relative, int flags) {
  struct stat info = {};
  if (::fstatat(root, relative.c_str(), &info, flags) != 0) return path_refusal(relative, errno);
  if (S_ISLNK(info.st_mode)) return path_refusal(relative, ELOOP);
  if (!S_ISREG(info.st_mode)) return not_regular(relative);
  return {};
}

Result<RegularFile> opened(Fd fd, const std::string& relative) {
  struct stat info = {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) return path_refusal(relative, errno);
  if (!S_ISREG(info.st_mode)) return not_regular(relative);
  return RegularFile{std::move(fd), info};
}

constexpr int kRead = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

}  // namespace

Fd open_child_folder(int parent, const std::string& name) {
  Fd child(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!child.valid()) return child;
  struct stat above = {};
  struct stat below = {};
  if (::fstat(parent, &above) != 0 || ::fstat(child.get(), &below) != 0) return Fd();
  if (above.st_dev == below.st_dev) return child;
  child.reset();
  errno = EXDEV;
  return child;
}

bool grant_owner(int parent, const std::string& name) {
  return ::fchmodat(parent, name.c_str(), 0700, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<Fd> open_beneath(int root, const std::string& relative, int flags, mode_t mode) {
  TRY(check_parts(relative));
  Fd fd(::openat(root, relative.c_str(), flags | O_CLOEXEC | O_NOFOLLOW_ANY, mode));
  if (!fd.valid()) return path_refusal(relative, errno);
  return fd;
}

Result<RegularFile> open_regular_file_beneath(int root, const std::string& relative) {
  TRY(check_parts(relative));
  TRY(look(root, relative, AT_SYMLINK_NOFOLLOW));
  return opened(Fd(::openat(root, relative.c_str(), kRead | O_NOFOLLOW_ANY)), relative);
}

// The kernel follows links wherever they lead; what was opened is then asked where it is.
Result<RegularFile> open_linked_file_beneath(int root, const std::string& relative) {
  TRY(check_parts(relative));
  TRY(look(root, relative, 0));
  ASSIGN_OR_RETURN(RegularFile file, opened(Fd(::openat(root, relative.c_str(), kRead)), relative));
  if (!lies_beneath(root, file.fd.get())) return path_refusal(relative, EXDEV);
  return file;
}

}  // namespace paddock::os
