// Threads, where the host may have none left: a full process table, RLIMIT_NPROC, the limit of a
// cgroup, no room for a stack. Whoever begins work with one hears of that here.
#pragma once

#include <functional>
#include <thread>

#include "common/base/result.h"

namespace paddock {

// SYSTEM_ERROR: it was not started.
Result<std::thread> start_thread(std::function<void()> work);

}  // namespace paddock
