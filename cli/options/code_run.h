// `paddock execute --detach`: the Run of type code that it creates. Pure.
#pragma once

#include "cli/options/command_row.h"
#include "common/contracts/run.h"

namespace paddock::cli {

// `code` and `input`: what the files named by the options hold. More time is more CPU time too.
Result<contracts::Run> code_run(const Parsed& parsed, std::string code,
                                std::optional<wire::Value> input, const std::string& made_up_name);

}  // namespace paddock::cli
