// The life of an array: the facts about it, as transitions.h has those of a run that is placed. It
// is Pending until the first of its elements has a node, of a gang all of them, then Running, and
// over once all are.
#pragma once

#include <string>

#include "controller/runs/arrays.h"
#include "controller/runs/transitions.h"

namespace paddock::runs {

// The first of its elements has a node, or has ended. Changes nothing on one that is Running.
Events start_array(contracts::Run& array, WallTime now);
// All members of a gang are pending again. Changes nothing on one that is.
Events gang_waits_again(contracts::Run& gang, const contracts::Run& first, WallTime now);
// Ends the array as array_end() says.
Events end_array(contracts::Run& array, const ArrayEnd& end, WallTime now);
// Why a pending array is pending: what its first element waits for. Returns nothing when it is what
// the array says already.
Events explain_array(contracts::Run& array, const contracts::Run& element, WallTime now);

// What request_cancel(), kill_now() and expire() do to an array: they mark it, and the array step
// then ends its elements.
Events cancel_array(contracts::Run& array, WallTime now);
Events kill_array(contracts::Run& array, WallTime now);
Events expire_array(contracts::Run& array, const std::string& message, WallTime now);

}  // namespace paddock::runs
