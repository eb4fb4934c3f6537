// Looks up what a request names of this host: programs for `tools`, nodes for `devices`.
#pragma once

#include "common/contracts/launch.h"
#include "node-agent/sandbox/plan/host_facts.h"

namespace paddock::sandbox {

// Looks up the `standing_tools`, once for all requests that name just these.
void find_standing_tools(HostFacts& host);

// Takes no time if the request names nothing, or just the standing tools.
std::shared_ptr<const RequestFacts> gather_request_facts(const contracts::LaunchRequest& request,
                                                         const HostFacts& host);

}  // namespace paddock::sandbox
