// The last steps before exec, in the command's own process.
#pragma once

#include "node-agent/sandbox/linux/child/child.h"

namespace paddock::sandbox {

[[noreturn]] void run_command(ChildContext& context);

}  // namespace paddock::sandbox
