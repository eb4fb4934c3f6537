// Turns the options of `paddock sandbox run` into a LaunchRequest. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "cli/options/command_row.h"
#include "cli/output/output_format.h"
#include "cli/terminal/env.h"
#include "common/contracts/launch.h"

namespace paddock::cli {

struct SandboxOptions {
  contracts::LaunchRequest request;
  bool json = false;
  bool verbose = false;
};

// `policy_text` is the content of --policy, if one was given: YAML or JSON.
Result<SandboxOptions> sandbox_options(const Parsed& parsed, const Env& env,
                                       const std::optional<std::string>& policy_text);
}  // namespace paddock::cli
