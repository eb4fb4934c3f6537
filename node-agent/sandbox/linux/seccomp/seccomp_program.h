// The tables of syscall_table.h as classic BPF programs for seccomp. Pure: the same table gives the
// same program. The program is a balanced tree over the call's number, so that a call costs eight
// comparisons and loading it is quick: the kernel tries each number once.
#pragma once

#include <linux/filter.h>

#include <span>
#include <vector>

#include "common/base/result.h"
#include "node-agent/sandbox/linux/seccomp/syscall_names.h"
#include "node-agent/sandbox/linux/seccomp/syscall_table.h"

namespace paddock::sandbox {

using SeccompProgram = std::vector<sock_filter>;

// `foreign`: what happens to calls of other machines, such as i386 and x32 ones on x86-64.
Result<SeccompProgram> render_seccomp(std::span<const SyscallRule> table, SyscallAction foreign,
                                      Machine machine = this_machine());

// A call is allowed if both programs allow it. Foreign calls pass the first and are forbidden by
// the second, which can tell of them.
Result<SeccompProgram> render_base_filter(Machine machine = this_machine());
Result<SeccompProgram> render_launch_filter(const LaunchChoices& choices,
                                            Machine machine = this_machine());

// The programs of one command.
struct SeccompFilters {
  SeccompProgram base;  // empty if the launcher has it already and the command inherits it
  SeccompProgram launch;
  LaunchChoices choices;
};
Result<SeccompFilters> render_filters(const LaunchChoices& choices);

}  // namespace paddock::sandbox
