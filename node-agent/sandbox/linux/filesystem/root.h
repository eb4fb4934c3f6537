// How the child leaves the host's file system, in its own mount namespace.
#pragma once

#include "common/base/result.h"

namespace paddock::sandbox {

// A folder that every host has. The new root is attached over it, which only the child sees, as it
// is alone in its mount namespace.
inline constexpr const char* kCoveredPoint = "/usr";

Status make_mounts_private();
// Replaces the caller's root by an empty read-only one and detaches everything else from the mount
// namespace. The caller must have opened what it still needs of the host.
Status leave_host();
// Makes the view the root of the command's process. This is the last use of its capability to
// chroot. The kernel lets no process that is chrooted make a user namespace.
Status enter_root(int view);

}  // namespace paddock::sandbox
