// An advisory lock on a file (flock), released by the kernel when its last holder dies.
#pragma once

#include <optional>
#include <string>

#include "common/os/fd.h"

namespace paddock::os {

class LockFile {
 public:
  // Creates the file if needed. FailedPrecondition, reason LOCK_HELD, if another process holds it.
  static Result<LockFile> acquire(const std::string& path);
  // Whether any process holds the lock now; false when the file is missing.
  static bool held(const std::string& path);
  int fd() const { return fd_.get(); }

 private:
  explicit LockFile(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace paddock::os
