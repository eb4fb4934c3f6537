// The most that a policy may ask for if the operator named no ceiling: the limits that the largest
// node reports. So a large job passes if some node can hold it, and is refused if none can.
#pragma once

#include "common/contracts/host_limits.h"
#include "controller/store/store.h"

namespace paddock::nodes {

// `wish` is what the caller asks for. Nodes are read only if it is more than the profiles' own
// limits, which pass always.
Result<contracts::SandboxLimits> largest_limits(store::ReadTxn& txn,
                                                const contracts::Profiles& profiles,
                                                const contracts::SandboxLimits& wish);
// The same for nodes that the caller has read.
contracts::SandboxLimits largest_limits(const std::vector<contracts::Node>& nodes,
                                        const contracts::Profiles& profiles);

}  // namespace paddock::nodes
