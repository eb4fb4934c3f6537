// A test run on this host that is judged by the report of its tests (common/test_report).
#pragma once

#include "cli/instance/launch_here.h"

namespace paddock::cli {

// As launch_here(), for a request whose command is pytest. The result has counts, and its reason
// says what was found wanting.
Result<contracts::SandboxResult> launch_judged_here(
    const Env& env, contracts::LaunchRequest request,
    const std::function<void(const contracts::Frame&)>& on_output);

}  // namespace paddock::cli
