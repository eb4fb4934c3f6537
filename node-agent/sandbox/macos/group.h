// The process group of one run: it is started confined and signalled as a whole. Its first process
// is reaped last, because the kernel gives the group's number to nobody else before that.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "common/os/fd.h"
#include "node-agent/sandbox/macos/group_guard.h"
#include "node-agent/sandbox/macos/seatbelt_plan.h"

namespace paddock::sandbox {

struct ConfinedGroup {
  pid_t pid = -1;
  os::Fd witness;  // lines of confine.h, or `failed STEP`
  os::Fd out;
  os::Fd err;
  GroupGuard guard;
};

// Starts `sandbox-exec -p PROFILE confine FD COMMAND…` in a session and group of its own. The
// launcher's ends of the pipes do not block.
Result<ConfinedGroup> start_confined(const SeatbeltPlan& plan, const std::string& sandbox_exec,
                                     const std::string& confine);
void signal_group(pid_t group, int signal);
// Whether the first process has ended. This does not reap it.
bool first_has_ended(pid_t group);
// How the first process ended, and what it and the children that it waited for have used.
struct Reaped {
  int wait_status = 0;
  rusage used = {};
};
Reaped reap_first(pid_t group);

}  // namespace paddock::sandbox
