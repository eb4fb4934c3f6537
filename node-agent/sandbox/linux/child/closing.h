// How init closes the sandbox around itself, before there is a command.
#pragma once

#include "common/base/result.h"
#include "node-agent/sandbox/linux/child/child.h"

namespace paddock::sandbox {

// Closes everything else that was inherited: a sandbox may wait for long, and must not hold open
// what belongs to the launcher.
Status keep_only_needed(const ChildContext& context);
// User, cgroups, network, and the view with its Landlock ruleset, in the order that their steps
// need. An error names the step.
Status close_sandbox(ChildContext& context);

}  // namespace paddock::sandbox
