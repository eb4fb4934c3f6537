// Makes the folders that a command finds in its scratch space when it starts. They are made by the
// command's own process, with no more rights than it has, while nothing else is there.
#pragma once

#include "common/base/result.h"
#include "node-agent/sandbox/command/command_spec.h"

namespace paddock::sandbox {

// Folders and files that nobody else reads: 0700 and 0600.
Status make_scratch(const CommandSpec& spec);

}  // namespace paddock::sandbox
