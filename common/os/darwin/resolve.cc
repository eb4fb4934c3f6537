// Paths from outside on macOS: resolved by the kernel, no link followed (O_NOFOLLOW_ANY, macOS 11).
#include "common/os/resolve.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::os {

Result<Fd> open_root(const std::string& folder) {
  Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return system_error(cat("opening ", base_name(folder)), errno);
  return fd;
}

Result<Fd> open_beneath(int root, const std::string& relative, int flags, mode_t mode) {
  const std::string name = to_utf8_lossy(base_name(relative));
  for (const std::string& part : split(relative, '/')) {
    if (part.empty() || part == "..")
      return invalid_argument("PATH_OUTSIDE_ROOT", cat("the path to ", name, " leaves its folder"));
  }
  Fd fd(::openat(root, relative.c_str(), flags | O_CLOEXEC | O_NOFOLLOW_ANY, mode));
  if (fd.valid()) return fd;
  if (errno == ELOOP)
    return invalid_argument("LINK_IN_PATH", cat("the path to ", name, " goes through a link"));
  return system_error(cat("opening ", name), errno);
}

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

}  // namespace paddock::os
