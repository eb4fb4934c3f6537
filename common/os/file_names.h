// Operations on names that file systems have beyond POSIX.
#pragma once

#include <string>

#include "common/os/fd.h"

namespace paddock::os {

// A file in `folder` that has no name, for reading and writing. Not valid with errno set.
Fd nameless_file(const std::string& folder);
// One that name_file() can give a name, which nothing has yet, on the same file system: 0, or -1
// with errno. Where there is no such thing it is not valid.
Fd file_to_name(const std::string& folder);
int name_file(int file, const std::string& path);
// Each gets the other's name, in one step. False with errno if they stay as they are.
bool swap_names(const std::string& one, const std::string& other);

}  // namespace paddock::os
