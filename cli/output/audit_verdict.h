// What `paddock audit verify` found out, for people. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/audit_chain/chain.h"
#include "common/audit_chain/checkpoint.h"

namespace paddock::cli {

// Of a chain that holds, and the checkpoints that it holds to. `end`: an export's own.
std::string verdict_text(const audit_chain::Verdict& verdict,
                         const std::vector<audit_chain::Checkpoint>& kept,
                         const std::optional<audit_chain::Checkpoint>& end = {});

}  // namespace paddock::cli
