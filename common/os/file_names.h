// What file systems can do with names beyond POSIX.
#pragma once

#include <string>

#include "common/os/fd.h"

namespace paddock::os {

// A file in `folder` that has no name, for reading and writing. Not valid with errno set.
Fd nameless_file(const std::string& folder);
// Each gets the other's name, in one step. False with errno if they stay as they are.
bool swap_names(const std::string& one, const std::string& other);

}  // namespace paddock::os
