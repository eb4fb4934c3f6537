// A disk that does not give back what it took. For tests only; needs root, loop devices and ext4.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"

namespace paddock::test {

// Mounts a disk at `place`, which is there, for this process alone; `image` is what it is made of.
inline bool mount_image(const std::string& image, const std::string& place) {
  const std::string make = cat("mkfs.ext4 -q -F ", image, " 16M >/dev/null 2>&1 && mount -o loop ",
                               image, " ", place, " 2>/dev/null");
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         std::system(make.c_str()) == 0;
}

// From now on this file, of some megabytes, can be opened there and not be read: EIO.
inline bool lose_content(const std::string& image, const std::string& file) {
  const os::Fd lost(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  ::sync();
  return lost.valid() && ::posix_fadvise(lost.get(), 0, 0, POSIX_FADV_DONTNEED) == 0 &&
         ::truncate(image.c_str(), 1 << 20) == 0;
}

}  // namespace paddock::test
