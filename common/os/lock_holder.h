// Which processes hold lock files (lock_file.h). The kernel lists such locks without a process
// number, so all but holds_lock() look through all processes. They are slow, and they do not find a
// process that the caller may not inspect.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace paddock::os {

// In ascending order. A process that only has the file open is not listed; a child that inherited
// the lock is. macOS does not say who holds a lock: there, all processes that can write to the file
// are listed.
std::vector<pid_t> lock_holders(const std::string& path);
// Whether this process holds it. Quick, for a caller that knows which process to expect.
bool holds_lock(pid_t pid, const std::string& path);
// The processes that hold a lock on any file beneath the folder.
std::vector<pid_t> lock_holders_below(const std::string& folder);
// For the message to a program that does not get a lock: " (process 123)", or nothing.
std::string lock_holder(const std::string& path);

}  // namespace paddock::os
