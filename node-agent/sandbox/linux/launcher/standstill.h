// A process of the launcher's that looks at what the run's processes hold, while those stand still:
// then they can neither hide anything from it nor delay it. It lets them go on if the launcher is
// killed meanwhile.
#pragma once

#include <sys/types.h>

#include <array>

#include "common/os/fd.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"

namespace paddock::sandbox::standstill {

// The descriptors that enter() keeps become 0, 1 and 2.
using Kept = std::array<int, 3>;

// The file that says whether all stand still; invalid where nothing can.
os::Fd open_state(const Cgroup* cgroup);
// Call it first, in the new process. Closes everything that came from the launcher, above all its
// lock, but for what is named. `user_namespace`: where the run's processes can be looked at; -1:
// here.
void enter(const Kept& kept, os::Fd state, int user_namespace, pid_t launcher);
// Waits a while until everything is frozen. A process in a long system call cannot be stopped, and
// is not waited for any longer.
void wait();
// Ends this process because the launcher was killed, so that the kernel kills the run. With cgroup
// v1 a frozen process does not take that signal, so the run is thawed.
[[noreturn]] void let_all_end(int);

}  // namespace paddock::sandbox::standstill
