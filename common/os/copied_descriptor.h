// A copy of what another process has open, where its folder of /proc may not be looked into: a
// program that is not dumpable hides that from an ordinary user, also from the one who owns its
// namespaces. Linux.
#pragma once

#include <sys/types.h>

#include "common/os/fd.h"

namespace paddock::os {

// `pid`: a process, or since Linux 6.9 any thread. Invalid: there is none (errno is ESRCH), or it
// cannot be had.
Fd descriptors_of(pid_t pid);
// `process`: descriptors_of(). Invalid: there is none (errno is EBADF, or ESRCH without the
// process), or it may not be had.
Fd copied_descriptor(const Fd& process, int descriptor);

}  // namespace paddock::os
