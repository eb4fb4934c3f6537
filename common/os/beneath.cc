// The code for paths from outside that is the same on every system.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/resolve.h"

namespace paddock::os {

Error path_refusal(const std::string& relative, int errno_value) {
  const std::string name = to_utf8_lossy(base_name(relative));
  if (errno_value == ELOOP) {
    return invalid_argument("LINK_IN_PATH", cat("the path to ", name, " goes through a link"));
  }
  if (errno_value == EXDEV) {
    return invalid_argument("PATH_OUTSIDE_ROOT", cat("the path to ", name, " leaves its folder"));
  }
  if (errno_value == ENOTDIR) {
    return invalid_argument("PATH_NOT_A_FOLDER",
                            cat("the path to ", name, " goes through what is no folder"));
  }
  if (errno_value == ENAMETOOLONG) {
    return invalid_argument("BAD_PATH", "the path, or a name in it, is too long");
  }
  return system_error(cat("opening ", name), errno_value);
}

Error not_regular(const std::string& relative) {
  return invalid_argument("NOT_A_REGULAR_FILE",
                          cat(to_utf8_lossy(base_name(relative)), " is not a regular file"));
}

Result<Fd> open_root(const std::string& folder) {
  Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return system_error(cat("opening the folder ", base_name(folder)), errno);
  return fd;
}

Result<Fd> open_closed_root(const std::string& folder) {
  auto opened = open_root(folder);
  struct stat info = {};
  // A folder with the right r alone can be opened, but nothing in it can be looked up.
  const bool closed = opened ? ::fstatat(opened->get(), ".", &info, 0) != 0 && errno == EACCES
                             : opened.error().code == Code::kPermissionDenied;
  if (!closed) return opened;
  ASSIGN_OR_RETURN(const Fd above, open_root(folder_of(folder)));
  if (!grant_owner(above.get(), base_name(folder))) return opened;
  return open_root(folder);
}

Result<Fd> open_regular_beneath(int root, const std::string& relative) {
  ASSIGN_OR_RETURN(RegularFile file, open_regular_file_beneath(root, relative));
  return std::move(file.fd);
}

Result<std::string> read_link_beneath(int root, const std::string& relative) {
  ASSIGN_OR_RETURN(const Fd folder,
                   open_beneath(root, folder_of(relative), kLookOnly | O_DIRECTORY | O_NOFOLLOW));
  std::array<char, 4097> text = {};
  const ssize_t got =
      ::readlinkat(folder.get(), base_name(relative).c_str(), text.data(), text.size());
  if (got < 0) return path_refusal(relative, errno);
  return std::string(text.data(), static_cast<size_t>(got));
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
    if (::mkdirat(at, part.c_str(), 0755) != 0 && errno != EEXIST) return path_refusal(part, errno);
    ASSIGN_OR_RETURN(Fd next, open_beneath(at, part, kLookOnly | O_DIRECTORY | O_NOFOLLOW));
    folder = std::move(next);
    at = folder.get();
  }
  return {};
}

}  // namespace paddock::os
