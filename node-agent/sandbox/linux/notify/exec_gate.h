// Answers attempts to execute where the policy names `tools`: what it does not name is refused and
// recorded. The walls of tool_view.h hold without this: a thread that changes the name after it was
// read gains no more than an attempt that fails without a record. The exception are files in
// memory, which are asked about by a flag, and nobody can change that.
#pragma once

#include <linux/seccomp.h>

#include "node-agent/sandbox/linux/notify/caller.h"
#include "node-agent/sandbox/linux/notify/network_gate.h"
#include "node-agent/sandbox/plan/tool_view.h"

namespace paddock::sandbox {

// For execve, execveat and memfd_create.
GateAnswer judge_exec(const Caller& caller, const seccomp_data& call, const ToolView& tools);

}  // namespace paddock::sandbox
