// Launchers (paddock-sandbox) that outlived their node agent. Each holds a lock on a file in the
// agent's own data folder; the kernel says who. That, and not a command line, makes a process ours.
#pragma once

#include "cli/instance/program.h"

namespace paddock::cli {

// Ends every launcher of the instance: SIGTERM cancels its run, SIGKILL after `grace`.
Status stop_launchers(const Env& env, const InstancePaths& paths, Millis grace);

}  // namespace paddock::cli
