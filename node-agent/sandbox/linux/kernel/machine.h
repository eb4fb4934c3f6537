// Finds out what commands are told about the machine (plan/proc_contents.h), and pins processes to
// processors.
#pragma once

#include <vector>

#include "common/base/result.h"
#include "node-agent/sandbox/plan/proc_contents.h"

namespace paddock::sandbox {

MachineFacts look_at_machine();
MachineMoment this_moment();
// Schedules the calling process, and what it starts, on these processors only. It is no wall: every
// process may choose others.
Status stay_on(const std::vector<int>& processors);

}  // namespace paddock::sandbox
