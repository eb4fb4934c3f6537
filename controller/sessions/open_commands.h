// Commands of sessions and in runs that were under way when the controller before this one ended:
// they ended with it, and nobody is left to say so.
#pragma once

#include "controller/store/store.h"

namespace paddock::sessions {

// Records the end of each: `command.lost`, reason CONTROLLER_RESTARTED. For the start of a
// controller, before it takes commands. How many there were.
Result<int64_t> end_open_commands(store::WriteTxn& txn, WallTime now);

}  // namespace paddock::sessions
