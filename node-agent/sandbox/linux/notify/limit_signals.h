// Which signals of limits (SIGXCPU, SIGXFSZ) a system call sends, now or later. The kernel sends
// them itself where a limit is met, so a command that ends by one has met a limit only if nobody
// inside brought it about.
#pragma once

#include <linux/seccomp.h>

#include <string_view>
#include <vector>

#include "node-agent/sandbox/linux/notify/notifying_thread.h"

namespace paddock::sandbox {

// The filter asks of no other signals, but for timers: theirs is in the caller's memory.
std::vector<int> sent_limit_signals(const NotifyingThread& caller, const seccomp_data& call);

// Those that a timer with this sigevent can send; of one that was not read whole, all. Pure.
std::vector<int> limit_signals_of_timer(std::string_view event);

// Whether this new limit (struct rlimit, as it is in memory) is lower than the one in the asker's
// /proc/PID/limits. Of one that was not read whole nobody knows: yes. Pure.
bool lowers_limit(std::string_view wanted, std::string_view limits, int resource);

}  // namespace paddock::sandbox
