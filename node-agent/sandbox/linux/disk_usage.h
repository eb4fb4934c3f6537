// How much a folder holds: blocks on its file system, names of files and folders. Nothing is
// followed, and no other file system entered. Not thread-safe; reads only.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "common/base/result.h"
#include "node-agent/sandbox/plan.h"

namespace paddock::sandbox {

// Stops as soon as there are more than `most_files`. TooLarge, TREE_TOO_DEEP, below 200 folders.
Result<DiskUse> folder_use(int folder, int64_t most_files);

// Bytes of files of that file system that have no name any more and that `init`, or a process below
// it, holds open or (if we may look) mapped.
int64_t nameless_bytes(pid_t init, dev_t device);

}  // namespace paddock::sandbox
