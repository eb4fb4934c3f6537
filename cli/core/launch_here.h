// Runs paddock-sandbox on this host and reads its frames.
#pragma once

#include <functional>

#include "cli/core/env.h"
#include "common/contracts/launch.h"

namespace paddock::cli {

// Calls `on_output` with each piece of output. Ctrl-C cancels the command; a second one kills it.
// LAUNCHER_LOST when the launcher ended without a result.
Result<contracts::SandboxResult> launch_here(
    const Env& env, const contracts::LaunchRequest& request,
    const std::function<void(const contracts::Frame&)>& on_output);

// What a program prints on stdout; Internal, PROGRAM_FAILED, if it does not end with 0.
Result<std::string> capture(const Env& env, const std::vector<std::string>& argv);

}  // namespace paddock::cli
