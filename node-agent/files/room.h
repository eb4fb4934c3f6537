// Computes what a call will add to the files of a run or a session, before anything is made. It
// counts like those that measure the files later: blocks, and names of files and of folders.
#pragma once

#include <cstdint>

#include "common/contracts/session_calls.h"

namespace paddock::files {

struct Room {
  int64_t bytes = 0;
  int64_t files = 0;  // and folders
};

// The room that a write of `bytes` takes below the folder `root`. Folders on the way that do not
// exist yet count too. TREE_TOO_DEEP: such folders could not be measured.
Result<Room> room_for(int root, const contracts::FileOrder& order, int64_t bytes);

}  // namespace paddock::files
