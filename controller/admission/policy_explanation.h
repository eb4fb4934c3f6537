// Explains an effective policy: where each value comes from, and what bounds it. It merges nothing
// itself: it compares the policies that were merged with the result. Pure.
#pragma once

#include <vector>

#include "common/contracts/policy_explanation.h"
#include "controller/admission/admit.h"

namespace paddock::admission {

// `effective`: as it is in force, or as admit() makes it of `spec`. One rule for each limit, for
// the network's switches, and for each entry of a list.
std::vector<contracts::PolicyRule> explain_policy(const contracts::RunSpec& spec,
                                                  const contracts::SandboxPolicy& effective,
                                                  const AdmissionContext& context);

}  // namespace paddock::admission
