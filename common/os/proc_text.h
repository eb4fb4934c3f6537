// What files of /proc say. Linux.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::os {

// What a file of at most `most` bytes says; nothing where it cannot be read, as of a task that has
// ended. `folder`: a descriptor that the name is beneath, or AT_FDCWD.
std::string proc_text(int folder, const char* name, size_t most);

// The KiB of a line such as `RssShmem:\t     128 kB`, which is not the first one; 0: it is not
// there.
int64_t proc_kib(std::string_view text, std::string_view name);

// Adds the children of one task. `task`: its folder below /proc/PID/task.
void add_children(int task, std::vector<pid_t>& out);

}  // namespace paddock::os
