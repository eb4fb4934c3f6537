// One launch on macOS: a process group that sandbox-exec confines, watched until it is gone. It
// uses POSIX alone, so that Linux runs its tests; what only macOS can tell comes in from outside
// (darwin/). One thread, one poll loop; no other launch and no other child at the same time.
#pragma once

#include "node-agent/sandbox/macos/group_supervisor.h"
#include "node-agent/sandbox/macos/seatbelt_plan.h"

namespace paddock::sandbox {

void hold_signals();  // those that cancel, until launch_confined() takes them

contracts::SandboxResult launch_confined(const contracts::LaunchRequest& request,
                                         EventWriter& events, const Clock& clock,
                                         const SeatbeltHost& host, ReadGroup read_group);

}  // namespace paddock::sandbox
