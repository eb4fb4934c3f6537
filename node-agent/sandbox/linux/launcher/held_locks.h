// Counts what the processes of a run hold of the kernel's memory that no cgroup counts, as /proc
// tells of each open file: locks on ranges of files (fcntl), 192 bytes or so each, and what is kept
// for open folders (open_folders.h).
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace paddock::sandbox {

struct HeldMemory {
  int64_t locks = 0;
  int64_t folder_bytes = 0;
};

// What `top` and all below it hold. Looks no further once something is more than in `most`. Without
// `folders` these are not looked at.
HeldMemory held_memory(pid_t top, const HeldMemory& most, bool folders);

}  // namespace paddock::sandbox
