// The events that a change of phase puts into a run's stream (common/contracts/events.h).
#pragma once

#include "common/contracts/events.h"
#include "common/contracts/run.h"

namespace paddock::runs {

contracts::RunEvent phase_event(const contracts::Run& run, WallTime now);
// rc and status are null when no node reported a result.
contracts::RunEvent end_event(const contracts::Run& run, WallTime now);

}  // namespace paddock::runs
