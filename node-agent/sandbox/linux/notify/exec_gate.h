// Answers attempts to execute a program where the policy names `tools`: other programs are refused
// and recorded. The walls of plan/tool_view.h hold without this, so a thread that changes the name
// after it was read gains nothing but an attempt that fails without a record. Files in memory are
// the one exception: here the answer decides, by a flag of the call that no thread can change.
#pragma once

#include <linux/seccomp.h>

#include "node-agent/sandbox/linux/notify/network_gate.h"
#include "node-agent/sandbox/linux/notify/notifying_thread.h"
#include "node-agent/sandbox/plan/tool_view.h"

namespace paddock::sandbox {

// For execve, execveat and memfd_create.
GateAnswer judge_exec(const NotifyingThread& caller, const seccomp_data& call,
                      const ToolView& tools);

}  // namespace paddock::sandbox
