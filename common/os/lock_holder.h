// Who holds lock files (lock_file.h). The kernel lists such locks without a process number: each of
// these looks through all processes, so they are not for what happens often, and a process that may
// not be looked into is not found.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace paddock::os {

// In ascending order. Whoever merely has the file open is none of them; a child that has inherited
// the lock is. macOS does not tell who locks: there, whoever can write to it.
std::vector<pid_t> lock_holders(const std::string& path);
// Of any file beneath the folder.
std::vector<pid_t> lock_holders_below(const std::string& folder);
// For the message to whoever does not get a lock: " (process 123)", or nothing.
std::string lock_holder(const std::string& path);

}  // namespace paddock::os
