// What `paddock audit verify` found out, for people. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/audit_chain/chain.h"
#include "common/audit_chain/checkpoint.h"

namespace paddock::cli {

// Of a chain that holds, and the checkpoints that it holds to.
std::string verdict_text(const audit_chain::Verdict& verdict,
                         const std::vector<audit_chain::Checkpoint>& checkpoints);

}  // namespace paddock::cli
