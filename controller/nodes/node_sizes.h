// What a policy may ask for where the operator named no ceiling: what the largest node says that
// it has. So a large job passes where there is a node for it, and nothing passes that none has.
#pragma once

#include "common/contracts/host_limits.h"
#include "controller/store/store.h"

namespace paddock::nodes {

// `wish` is what the caller asks for. Nodes are read only if it is more than the profiles' own
// limits, which pass always.
Result<contracts::SandboxLimits> largest_limits(store::ReadTxn& txn,
                                                const contracts::Profiles& profiles,
                                                const contracts::SandboxLimits& wish);
// The same over nodes that were read.
contracts::SandboxLimits largest_limits(const std::vector<contracts::Node>& nodes,
                                        const contracts::Profiles& profiles);

}  // namespace paddock::nodes
