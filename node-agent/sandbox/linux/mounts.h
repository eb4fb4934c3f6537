// Builds the file system of the mount table. Every source is opened once and from then on named by
// its descriptor: nothing can be swapped in between. The old root is gone before the command
// starts.
#pragma once

#include <vector>

#include "common/os/fd.h"
#include "node-agent/sandbox/linux/user_namespace.h"
#include "node-agent/sandbox/plan.h"

namespace paddock::sandbox {

// A detached copy of every part of the host that the table names, with its final attributes. One
// per table entry; invalid where the entry has no source. A privileged launcher calls this before
// it makes the child and maps the owner of each folder to the command's id; otherwise the child
// calls it.
Result<std::vector<os::Fd>> open_sources(const SandboxPlan& plan);

// In the child, which is alone in its mount namespace and pid 1 of its pid namespace.
Status make_mounts_private();
// Builds the table on a new root and moves into it.
Status enter_root(const std::vector<MountEntry>& table, const std::vector<os::Fd>& sources);

}  // namespace paddock::sandbox
