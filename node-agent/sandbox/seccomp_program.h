// The syscall table as a BPF program. Calls of other architectures (i386, x32) kill the process.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "common/base/result.h"
#include "node-agent/sandbox/syscall_table.h"

namespace paddock::sandbox {

Result<std::vector<sock_filter>> render_seccomp(std::span<const SyscallRule> table);

}  // namespace paddock::sandbox
