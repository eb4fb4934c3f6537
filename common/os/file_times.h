// The times of a file with all their digits: POSIX names the members, macOS otherwise.
#pragma once

#include <sys/stat.h>

#include <ctime>

namespace paddock::os {

#ifdef __APPLE__
inline timespec modified_at(const struct stat& info) { return info.st_mtimespec; }
inline timespec changed_at(const struct stat& info) { return info.st_ctimespec; }
#else
inline timespec modified_at(const struct stat& info) { return info.st_mtim; }
inline timespec changed_at(const struct stat& info) { return info.st_ctim; }
#endif

}  // namespace paddock::os
