// Looks up what a request names of this host: programs for `tools`, nodes for `devices`.
#pragma once

#include "common/contracts/launch.h"
#include "node-agent/sandbox/plan/host_facts.h"

namespace paddock::sandbox {

// Those of `standing_tools`, once for all requests that name the same.
void find_standing_tools(HostFacts& host);

// Nothing to look up, or what stands already: costs nothing.
std::shared_ptr<const RequestFacts> gather_request_facts(const contracts::LaunchRequest& request,
                                                         const HostFacts& host);

}  // namespace paddock::sandbox
