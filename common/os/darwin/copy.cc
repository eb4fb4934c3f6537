#include <copyfile.h>

#include <cerrno>

#include "common/os/file.h"

namespace paddock::os {

Status copy_contents(int from, int to) {
  if (::fcopyfile(from, to, nullptr, COPYFILE_DATA) == 0) return {};
  return system_error("copying a file", errno);
}

}  // namespace paddock::os
