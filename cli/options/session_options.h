// Turns the options of `paddock sandbox create` and `exec` into the API's requests. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_row.h"
#include "cli/terminal/env.h"
#include "common/contracts/sandbox.h"

namespace paddock::cli {

// `security_text` is the content of --security, if it was given: YAML or JSON. Only what was asked
// for is set.
Result<contracts::SandboxSpec> session_spec(const Parsed& parsed, const Env& env,
                                            const std::optional<std::string>& security_text);
// One word is text for the shell as it is; several are a command, each quoted.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace paddock::cli
