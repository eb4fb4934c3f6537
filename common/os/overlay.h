// Layered folders (overlayfs) as detached mounts: they have no place in any mount namespace and end
// with their last descriptor or copy. Linux, with the right to mount.
#pragma once

#include <string>

#include "common/os/fd.h"

namespace paddock::os {

struct Layers {
  std::string lower;  // absolute folder that is only read, by as many mounts as like
  std::string upper;  // absolute folder that takes every change; of one writable mount at a time
  std::string work;   // empty folder of the same file system, the kernel's own; none: read-only
};

// No set-user-id, no devices; read-only without `work`. What `upper` holds covers `lower`. Writable
// once: the changes are not synchronised with the disk, and the kernel does not take them up again.
// Errors are the kernel's: EPERM for ordinary users, EINVAL where the file system cannot take
// changes.
Result<Fd> mount_layers(const Layers& layers);

}  // namespace paddock::os
