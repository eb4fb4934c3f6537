// The keeper of one command that is executed in a run (`paddock exec`): a process that init starts
// for it, and its parent. It tells the launcher of the command's end, and kills what that leaves.
#pragma once

#include "node-agent/sandbox/linux/child/child.h"

namespace paddock::sandbox {

// Runs in a process that init has forked, which stays as unprivileged as init is. `control`: its
// own talk with the launcher. It begins with the streams of the command (kOutput, kErrors), and
// what follows is for the command's process, as that of the run's own command had it. When the
// launcher shuts the talk down, or leaves, everything beneath this process is killed.
[[noreturn]] void run_keeper(ChildContext& context, os::Fd control);

}  // namespace paddock::sandbox
