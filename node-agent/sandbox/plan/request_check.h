// The checks of a request that are the same on every system, before the host is asked. Pure.
#pragma once

#include "common/contracts/launch.h"

namespace paddock::sandbox {

// The command and its variables: not empty, no NUL bytes, within commandBytes.
Status check_command(const contracts::LaunchRequest& request);

// Folders and files for the scratch space lie in it, and are small.
Status check_scratch(const contracts::LaunchRequest& request);

// The standard input is one file inside, or another that grows.
Status check_stdin(const contracts::LaunchRequest& request);

// Values are base64, and files of them lie in a folder below /run/secrets each.
Status check_secrets(const contracts::LaunchRequest& request);

// Refuses layered mounts, scratch files, secrets as files and a file as standard input, for systems
// that have none.
Status refuse_layers(const contracts::LaunchRequest& request);

}  // namespace paddock::sandbox
