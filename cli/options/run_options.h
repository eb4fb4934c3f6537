// Turns options into the fields of a run beside its command and its files: variables, limits,
// placement. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_row.h"
#include "cli/terminal/env.h"
#include "common/contracts/run.h"

namespace paddock::cli {

// Files that options name, read by the caller.
struct OptionFiles {
  struct Named {
    std::string name;
    std::string text;
  };
  std::optional<std::string> policy;
  std::vector<Named> variables;
};

std::vector<OptionRow> run_option_rows();

// `spec` with what the options ask for; a document of --policy takes the place of its policy. The
// memory that a run may use is set aside for it too.
Result<contracts::RunSpec> run_options(const Parsed& parsed, const Env& env,
                                       const OptionFiles& files, contracts::RunSpec spec = {});

}  // namespace paddock::cli
