// What a call will add to the files of a run or a session, told before anything is made. It counts
// as those do who measure them later: blocks, and names of files and of folders.
#pragma once

#include <cstdint>

#include "common/contracts/session_calls.h"

namespace paddock::sessions {

struct Room {
  int64_t bytes = 0;
  int64_t files = 0;  // and folders
};

// Of a write with `bytes` of content below the folder `root`: the folders on the way that are not
// there yet count too. TREE_TOO_DEEP: whoever measures them could not.
Result<Room> room_for(int root, const contracts::FileOrder& order, int64_t bytes);

}  // namespace paddock::sessions
