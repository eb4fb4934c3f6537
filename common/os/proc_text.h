// What files of /proc say. Linux.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace paddock::os {

// The KiB of a line such as `RssShmem:\t     128 kB`, which is not the first one; 0: it is not
// there.
int64_t proc_kib(std::string_view text, std::string_view name);

// Adds the children of one task. `task`: its folder below /proc/PID/task.
void add_children(int task, std::vector<pid_t>& out);

}  // namespace paddock::os
