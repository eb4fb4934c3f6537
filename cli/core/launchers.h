// Launchers (paddock-sandbox) that outlived their node agent. Each holds a lock on a file in the
// agent's own data folder; the kernel says who. That, and not a command line, makes a process ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/core/program.h"

namespace paddock::cli {

// One flock of /proc/locks.
struct HeldLock {
  int64_t pid = 0;
  uint64_t device = 0;  // as makedev() gives it
  uint64_t inode = 0;
  friend bool operator==(const HeldLock&, const HeldLock&) = default;
};
std::vector<HeldLock> parse_proc_locks(std::string_view text);

// Processes that hold a lock on a file of ours beneath the folder.
std::vector<os::ProcessIdentity> lock_holders(const std::string& folder);

// Ends every launcher of the instance: SIGTERM cancels its run, SIGKILL after `grace`.
Status stop_launchers(const Env& env, const InstancePaths& paths, Millis grace);

}  // namespace paddock::cli
