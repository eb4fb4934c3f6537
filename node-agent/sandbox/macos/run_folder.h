// A run's own folder on a host without private mounts: `tmp` is the command's TMPDIR, `policy.json`
// says what is in force. Removed with the object.
#pragma once

#include "node-agent/sandbox/macos/seatbelt_plan.h"

namespace paddock::sandbox {

class RunFolder {
 public:
  static Result<RunFolder> make(const std::string& parent, const contracts::SandboxPolicy& policy);
  RunFolder(RunFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  RunFolder& operator=(RunFolder&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~RunFolder();

  // With the request's mounts, resolved. MOUNT_NOT_FOUND, LINK_IN_MOUNT.
  Result<RunPaths> paths(const contracts::LaunchRequest& request, const std::string& confine) const;

 private:
  RunFolder() = default;
  std::string path_;
};

}  // namespace paddock::sandbox
