#include "common/os/file_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

namespace paddock::os {

// For a moment it has a name that nobody can guess.
Fd nameless_file(const std::string& folder) {
  std::string name = folder + "/.paddock-XXXXXXXXXX";
  Fd file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.valid()) ::unlink(name.c_str());
  return file;
}

Fd file_to_name(const std::string&) {
  errno = ENOTSUP;
  return {};
}

int name_file(int, const std::string&) {
  errno = ENOTSUP;
  return -1;
}

bool swap_names(const std::string& one, const std::string& other) {
  return ::renamex_np(one.c_str(), other.c_str(), RENAME_SWAP) == 0;
}

}  // namespace paddock::os
