// Tells whether a file was written since, without reading it: by the time of its last change, which
// the kernel sets and no program inside can set back.
#pragma once

#include <sys/stat.h>

#include "common/os/file_times.h"

namespace paddock::artifacts {

struct Stamp {
  Stamp() = default;
  explicit Stamp(const struct stat& stat)
      : inode(stat.st_ino), size(stat.st_size), mode(stat.st_mode) {
    const timespec at = os::changed_at(stat);
    changed_s = at.tv_sec;
    changed_ns = at.tv_nsec;
  }
  uint64_t inode = 0;
  int64_t size = 0;
  uint32_t mode = 0;
  int64_t changed_s = 0, changed_ns = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

}  // namespace paddock::artifacts
