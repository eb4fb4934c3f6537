// Identifies the file or folder that a path leads to, so that one can tell whether it is still the
// same, whatever was mounted over it, unmounted or put in its place meanwhile.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace paddock::os {

struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// Links are followed. Nothing: there is none, or it cannot be looked at.
std::optional<FileIdentity> identity_of(const std::string& path);

}  // namespace paddock::os
