#include "common/contracts/network_reach.h"
#include "node-agent/sandbox/egress/hosts_file.h"
#include "node-agent/sandbox/egress/rules.h"
#include "node-agent/sandbox/plan/plan_parts.h"

namespace paddock::sandbox {
namespace {

BrokerConfig broker_config(const contracts::LaunchRequest& request, const HostFacts& host,
                           const SandboxPlan& plan) {
  BrokerConfig out;
  if (plan.privileged) out.uid = plan.host_uid;
  if (!plan.reach.broker) return out;
  const contracts::NetworkSettings settings =
      request.network.value_or(contracts::NetworkSettings{});
  out.allow_domains = request.policy.network->allow_domains;
  out.resolvers = settings.resolvers.empty() ? host.named->name_servers : settings.resolvers;
  out.allow_ranges = settings.allow_ranges;
  // A policy with an invalid rule gets no names here; it is refused where it is read.
  if (const auto rules = contracts::parse_domain_rules(out.allow_domains); rules.ok())
    out.hosts = allowed_names(host.named->host_names, *rules);
  return out;
}

contracts::Enforcement no_network() {
  return by_kernel("none", "network namespace without devices, seccomp notification",
                   "local sockets inside the sandbox work");
}

contracts::Enforcement own_loopback() {
  return by_kernel(
      "loopback", "network namespace with a loopback device alone, seccomp notification",
      "programs inside reach each other by 127.0.0.1 and ::1; nothing leads out or in");
}

contracts::Enforcement open_gateway(const contracts::ToolGateway& gateway) {
  return by_broker(cat(gateway.host, ":", gateway.port),
                   "a listener inside, which a broker leads to the controller and nowhere else",
                   "open, whatever the network: the controller takes what comes this way for the "
                   "routes of this run's tool tokens alone");
}

// A listener inside needs the device.
void tell_of_gateway(contracts::Enforcement& network) {
  network.mechanism = own_loopback().mechanism;
  network.details += "; beside it there is toolGateway";
}

// Plans what the policy says of the network itself.
Status plan_names(const contracts::LaunchRequest& request, const HostFacts& host,
                  SandboxPlan& plan) {
  const contracts::NetworkPolicy network =
      request.policy.network.value_or(contracts::NetworkPolicy{});
  plan.reach.loopback = contracts::has_loopback(network);
  if (!network.enabled) {
    plan.enforced["network"] = plan.reach.loopback ? own_loopback() : no_network();
    return {};
  }
  plan.reach.broker = true;
  BrokerConfig config = broker_config(request, host, plan);
  ASSIGN_OR_RETURN(const BrokerRules rules, read_rules(config));
  for (const uint16_t port : contracts::ports_of(rules.domains)) plan.reach.ports.push_back(port);
  plan.enforced["network"] = by_broker(
      join(config.allow_domains, ", "), "network namespace with a broker as the only way out",
      cat("TCP to these names only; resolved and kept outside; TLS server names on port 443 and "
          "HTTP hosts on port 80 are checked",
          plan.reach.loopback ? "; loopback is the sandbox's own" : "; no loopback of its own"));
  plan.broker = std::move(config);
  return {};
}

Status plan_gateway(const contracts::LaunchRequest& request, const HostFacts& host,
                    SandboxPlan& plan) {
  if (!request.tool_gateway) return {};
  ASSIGN_OR_RETURN(const Gateway gateway, read_gateway(*request.tool_gateway));
  plan.reach.gateway = gateway.inside;
  plan.enforced["toolGateway"] = open_gateway(*request.tool_gateway);
  if (!plan.reach.broker) tell_of_gateway(plan.enforced["network"]);
  if (!plan.broker) plan.broker = broker_config(request, host, plan);
  plan.broker->gateway = request.tool_gateway;
  plan.broker->gateway->ca.clear();  // it looks at nothing that goes through
  return {};
}

}  // namespace

Status plan_network(const contracts::LaunchRequest& request, const HostFacts& host,
                    SandboxPlan& plan) {
  TRY(plan_names(request, host, plan));
  return plan_gateway(request, host, plan);
}

Status accept_loopback(const Status& up, bool allow_partial, Enforced& enforced) {
  if (up.ok()) return {};
  if (!allow_partial)
    return refuse("LOOPBACK_UNAVAILABLE",
                  cat("network.loopback: this host gives sandboxes no loopback device: ",
                      up.error().message, "; set it to false, or set allowPartial"));
  enforced["network"] = no_network();
  enforced["loopback"] = by_nothing(true, "LOOPBACK_UNAVAILABLE", up.error().message);
  return {};
}

}  // namespace paddock::sandbox
