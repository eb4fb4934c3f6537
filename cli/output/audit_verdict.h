// The findings of `paddock audit verify`, as people read them. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/audit_chain/chain.h"
#include "common/audit_chain/checkpoint.h"

namespace paddock::cli {

// Says that a chain holds, and with which checkpoints it agrees. `end` is the checkpoint at the end
// of an export.
std::string verdict_text(const audit_chain::Verdict& verdict,
                         const std::vector<audit_chain::Checkpoint>& kept,
                         const std::optional<audit_chain::Checkpoint>& end = {});

}  // namespace paddock::cli
