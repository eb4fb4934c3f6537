// The syscall table as a BPF program. Calls of other architectures (i386, x32) kill the process.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "common/base/result.h"
#include "node-agent/sandbox/syscall_table.h"

namespace paddock::sandbox {

using SeccompProgram = std::vector<sock_filter>;

Result<SeccompProgram> render_seccomp(std::span<const SyscallRule> table);

// The two programs of a command. They add up: a call is allowed if both allow it.
struct SeccompFilters {
  SeccompProgram base;  // empty if the launcher has it already and the command inherits it
  SeccompProgram launch;
};
Result<SeccompFilters> render_filters();

}  // namespace paddock::sandbox
