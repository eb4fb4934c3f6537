// An advisory lock on a file (an open-file-description lock), released by the kernel when the last
// copy of its descriptor is closed: it can be handed to a child, and held() looks without touching
// it.
#pragma once

#include <optional>
#include <string>

#include "common/os/fd.h"

namespace paddock::os {

class LockFile {
 public:
  // Creates the file if needed. FailedPrecondition, reason LOCK_HELD, if it is held, by
  // another process or by this one.
  static Result<LockFile> acquire(const std::string& path);
  // As acquire(), but shared: with others who share it, and with nobody who acquires it.
  static Result<LockFile> share(const std::string& path);
  // From here on others may share it; nobody can acquire it in between.
  Status make_shared();
  // The same as acquire() for a file that somebody else has opened for writing.
  static Result<LockFile> take(Fd file);
  // Whether any process holds or shares the lock now; false when the file is missing, true when it
  // cannot be looked into.
  static bool held(const std::string& path);
  int fd() const { return fd_.get(); }

 private:
  explicit LockFile(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace paddock::os
