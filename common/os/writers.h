// Who else has a file open.
#pragma once

#include <optional>

namespace paddock::os {

// Whether anybody has this regular file, open here for reading alone, open for writing or mapped
// so. Nothing: this system, this file system or our rights do not tell. Who opens it for writing
// in the same moment waits for some microseconds.
std::optional<bool> has_writers(int fd);

}  // namespace paddock::os
