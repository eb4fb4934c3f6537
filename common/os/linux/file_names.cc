#include "common/os/file_names.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/text.h"

namespace paddock::os {

Fd nameless_file(const std::string& folder) {
  return Fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
}

Fd file_to_name(const std::string& folder) { return nameless_file(folder); }

int name_file(int file, const std::string& path) {
  const std::string link = cat("/proc/self/fd/", file);
  return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
}

bool swap_names(const std::string& one, const std::string& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

}  // namespace paddock::os
