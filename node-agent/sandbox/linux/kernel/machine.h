// What a launcher finds out about the machine to tell commands of their share; see machine_facts.h.
#pragma once

#include <vector>

#include "common/base/result.h"
#include "node-agent/sandbox/plan/machine_facts.h"

namespace paddock::sandbox {

MachineFacts look_at_machine();
MachineMoment this_moment();
// The calling process alone, and whoever it starts. Not a wall: each may choose anew.
Status stay_on(const std::vector<int>& processors);

}  // namespace paddock::sandbox
