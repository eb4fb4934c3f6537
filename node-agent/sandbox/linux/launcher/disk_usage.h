// How much a folder holds: blocks on its file system, names of files and folders. Nothing is
// followed, and no other file system entered. Not thread-safe; reads only.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "common/base/result.h"
#include "node-agent/sandbox/plan/plan.h"

namespace paddock::sandbox {

// Stops as soon as there are more than `most_files`. `layered`: marks of removed files do not
// count. TooLarge, TREE_TOO_DEEP, below 200 folders.
Result<DiskUse> folder_use(int folder, int64_t most_files, bool layered = false);

// Bytes of files of that file system that have no name any more and that `init`, or a process below
// it, holds open or (if we may look) mapped. `layered`: the files that count are those of what each
// process sees as its workspace, which is a device of its own.
int64_t nameless_bytes(pid_t init, dev_t device, bool layered = false);

}  // namespace paddock::sandbox
