// Sandboxes of macOS have no mounts of their own.
#include "common/os/seen_folder.h"

namespace paddock::os {

Result<SeenFolder> seen_folder(const ProcessIdentity&, const std::string&) {
  return Error{Code::kFailedPrecondition, "RUN_NOT_RUNNING",
               "a sandbox of this host has no folders of its own"};
}

}  // namespace paddock::os
