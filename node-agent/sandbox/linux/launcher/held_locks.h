// Counts the locks on ranges of files (fcntl) that the processes of a run hold, as /proc tells of
// each open file. The kernel takes 192 bytes or so for each and charges them to nobody.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace paddock::sandbox {

// Those of `top` and of all below it. Looks no further once there are more than `most`.
int64_t held_locks(pid_t top, int64_t most);

}  // namespace paddock::sandbox
