#include "common/os/file_names.h"

#include <fcntl.h>
#include <stdio.h>

namespace paddock::os {

Fd nameless_file(const std::string& folder) {
  return Fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
}

bool swap_names(const std::string& one, const std::string& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

}  // namespace paddock::os
