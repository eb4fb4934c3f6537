// Says what would become of a denial, which a run met, under another policy, as far as the policy
// alone decides. It applies the rules that the sandbox applies (common/contracts/domain_rule.h,
// network_reach.h). Pure.
#pragma once

#include "common/contracts/policy_explanation.h"

namespace paddock::admission {

// kUnknown where the node has a say: which file a tool's name is, where a name leads.
contracts::JudgedDenial judge_denial(const contracts::Denial& denial,
                                     const contracts::SandboxPolicy& policy);

}  // namespace paddock::admission
