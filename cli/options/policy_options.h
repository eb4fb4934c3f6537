// Options that are fields of a SandboxPolicy: the same spellings wherever a sandbox is asked for.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command_row.h"
#include "common/contracts/sandbox_policy.h"

namespace paddock::cli {

// Limits, network and mounts; whose time is limited by --timeout has no --wall-time.
std::vector<OptionRow> policy_option_rows();

// The document of --policy, if one was given (YAML or JSON), else `policy`; and the options, which
// win over it.
Result<contracts::SandboxPolicy> policy_options(const Parsed& parsed, const std::string& cwd,
                                                const std::optional<std::string>& document,
                                                contracts::SandboxPolicy policy = {});

// `SRC:DST` or `SRC:DST:ro|rw`; SRC relative to `cwd`.
Result<contracts::HostMount> parse_mount(std::string_view text, const std::string& cwd);

}  // namespace paddock::cli
