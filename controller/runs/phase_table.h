// The only code that writes a run's phase, and the events of a run that has ended. For the files
// that apply facts to a run: transitions.cc, gang_members.cc and array_transitions.cc.
#pragma once

#include "controller/runs/transitions.h"

namespace paddock::runs {

// False if the table refuses it.
bool apply(contracts::Run& run, Fact fact);
// The attempt is over; nothing of it stays but its output and its artifacts.
void leave_node(contracts::RunStatus& status);
// Everything that is said once a run is over. `run` is terminal already.
Events conclude(contracts::Run& run, WallTime now);
// The fact that an outcome's phase tells; none for a phase that is no outcome.
std::optional<Fact> fact_of_outcome(contracts::RunPhase phase);

}  // namespace paddock::runs
