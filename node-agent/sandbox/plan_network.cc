#include "node-agent/sandbox/broker/rules.h"
#include "node-agent/sandbox/plan_parts.h"

namespace paddock::sandbox {
namespace {

BrokerConfig broker_config(const contracts::LaunchRequest& request, const HostFacts& host,
                           const SandboxPlan& plan) {
  const contracts::NetworkSettings settings =
      request.network.value_or(contracts::NetworkSettings{});
  BrokerConfig out;
  out.allow_domains = request.policy.network->allow_domains;
  out.resolvers = settings.resolvers.empty() ? host.named->name_servers : settings.resolvers;
  out.allow_ranges = settings.allow_ranges;
  if (plan.privileged) out.uid = plan.host_uid;
  return out;
}

}  // namespace

Status plan_network(const contracts::LaunchRequest& request, const HostFacts& host,
                    SandboxPlan& plan) {
  const auto& network = request.policy.network;
  if (!network || !network->enabled) {
    plan.enforced["network"] =
        by_kernel("none", "network namespace without devices, seccomp notification",
                  "local sockets inside the sandbox work");
    return {};
  }
  BrokerConfig config = broker_config(request, host, plan);
  ASSIGN_OR_RETURN(const BrokerRules rules, read_rules(config));
  plan.reach.broker = true;
  for (const uint16_t port : contracts::ports_of(rules.domains)) plan.reach.ports.push_back(port);
  plan.enforced["network"] = by_broker(
      join(config.allow_domains, ", "), "network namespace with a broker as the only way out",
      "TCP to these names only; resolved and kept outside; TLS server names on port 443 and HTTP "
      "hosts on port 80 are checked");
  plan.broker = std::move(config);
  return {};
}

}  // namespace paddock::sandbox
