// One `up` or `down` at a time per instance.
#pragma once

#include "cli/instance/instance.h"
#include "cli/terminal/env.h"
#include "common/os/lock_file.h"

namespace paddock::cli {

// Waits a little for another command to finish; then LOCK_HELD.
Result<os::LockFile> lock_instance(const Env& env, const InstancePaths& paths);

}  // namespace paddock::cli
