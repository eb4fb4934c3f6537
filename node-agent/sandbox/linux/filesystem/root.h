// The child's way out of the host's file system, in its own mount namespace.
#pragma once

#include "common/base/result.h"

namespace paddock::sandbox {

// Any folder that every host has: only the child, alone in its mount namespace, sees it covered.
inline constexpr const char* kCoveredPoint = "/usr";

Status make_mounts_private();
// Leaves the mount namespace with nothing but an empty read-only root, and the caller in it. What
// it still needs of the host it has open.
Status leave_host();
// In the command's process, as the last use of its capability to chroot. A process that is chrooted
// cannot make a user namespace either.
Status enter_root(int view);

}  // namespace paddock::sandbox
