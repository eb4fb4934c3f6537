// Builds the file system of the mount table. Every source is opened once and from then on named by
// its descriptor: nothing can be swapped in between. The old root is gone before the command
// starts, and the new one is in no mount namespace: the kernel lists none of its mounts.
#pragma once

#include <sys/types.h>

#include <vector>

#include "common/os/fd.h"
#include "node-agent/sandbox/linux/user_namespace.h"
#include "node-agent/sandbox/plan.h"

namespace paddock::sandbox {

// Copies of what every run is shown, made before there is a request.
struct PreparedSource {
  MountEntry entry;
  dev_t device = 0;
  ino_t inode = 0;
  os::Fd mount;
};
using PreparedSources = std::vector<PreparedSource>;
Result<PreparedSources> prepare_sources(const std::vector<MountEntry>& table);

// A detached copy of every part of the host that the table names, with its final attributes; a
// prepared one where the host has not changed since. One per table entry; invalid where the entry
// has no source. A privileged launcher calls this before it makes the child and maps the owner of
// each folder to the command's id; otherwise the child calls it.
Result<std::vector<os::Fd>> open_sources(const SandboxPlan& plan, PreparedSources prepared);

// In the child, which is alone in its mount namespace and pid 1 of its pid namespace.
Status make_mounts_private();
// Builds the table as a detached tree of mounts and returns its root. The mount namespace itself is
// left with an empty read-only root, and the caller in it.
Result<os::Fd> build_root(const std::vector<MountEntry>& table, const std::vector<os::Fd>& sources);
// In the command's process, as the last use of its capability to chroot. A process that is chrooted
// cannot make a user namespace either.
Status enter_root(int view);

}  // namespace paddock::sandbox
