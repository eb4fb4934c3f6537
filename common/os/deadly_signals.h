// Signals that end a process unless it handles them.
#pragma once

#include <vector>

namespace paddock::os {

// All of this system that can be handled, without those that ask a program to end (SIGINT, SIGTERM,
// SIGHUP) and without SIGPIPE.
std::vector<int> deadly_signals();

}  // namespace paddock::os
