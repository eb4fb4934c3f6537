#include "node-agent/sandbox/plan_parts.h"

namespace paddock::sandbox {

Status plan_network(const contracts::LaunchRequest& request, const HostFacts&, SandboxPlan& plan) {
  const auto& network = request.policy.network;
  if (network && network->enabled) {
    return refuse("NETWORK_UNAVAILABLE",
                  "this node runs commands without a network only; leave network.enabled false");
  }
  plan.enforced["network"] =
      by_kernel("none", "network namespace without devices, seccomp notification",
                "local sockets inside the sandbox work");
  return {};
}

}  // namespace paddock::sandbox
