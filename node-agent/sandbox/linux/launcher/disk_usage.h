// Counts what a folder holds: blocks on its file system, and names of files and folders. It follows
// no link and enters no other file system. Not thread-safe; reads only.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "common/base/result.h"
#include "node-agent/sandbox/plan/plan.h"

namespace paddock::sandbox {

// Stops counting when there are more than `most_files`. `layered`: an overlay's marks of removed
// files do not count. TooLarge, TREE_TOO_DEEP where folders are nested more than 200 deep.
Result<DiskUse> folder_use(int folder, int64_t most_files, bool layered = false);

// The bytes of deleted files on the file system `device` that `init` or a process below it still
// holds open or mapped (mappings only where we may read them). `layered`: each process's own
// workspace, an overlay with a device number of its own, takes the place of `device`.
int64_t nameless_bytes(pid_t init, dev_t device, bool layered = false);

}  // namespace paddock::sandbox
