// A folder as a sandbox sees it, through mounts that are in no other place. Linux.
#pragma once

#include <string>

#include "common/os/fd.h"
#include "common/os/process.h"

namespace paddock::os {

struct SeenFolder {
  Fd folder;       // to resolve beneath
  uid_t user = 0;  // of the host, that the sandbox's processes are
};

// `name`, in the root of the command of a sandbox whose first process `parent` has started.
// RUN_NOT_RUNNING where there is none (any more).
Result<SeenFolder> seen_folder(const ProcessIdentity& parent, const std::string& name);

}  // namespace paddock::os
