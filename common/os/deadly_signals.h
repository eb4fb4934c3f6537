// Signals that end a process which has not asked for them.
#pragma once

#include <vector>

namespace paddock::os {

// All that this system has and a handler can be set for, but for those by which somebody asks a
// program to end (SIGINT, SIGTERM, SIGHUP) and SIGPIPE.
std::vector<int> deadly_signals();

}  // namespace paddock::os
