#include "node-agent/sandbox/egress/rules.h"

#include <algorithm>

namespace paddock::sandbox {
namespace {

Status read_hosts(const BrokerConfig& config, BrokerRules& rules) {
  for (const auto& [name, addresses] : config.hosts) {
    for (const std::string& text : addresses) {
      const auto address = parse_ip(text);
      if (!address) return invalid_argument("INVALID_DOMAIN", "an address of a host is none");
      rules.hosts[name].push_back(*address);
    }
  }
  return {};
}

// Whether a name may come up that only a name server can know.
bool asks_servers(const BrokerRules& rules) {
  return std::ranges::any_of(rules.domains, [&](const contracts::DomainRule& rule) {
    return rule.subdomains || !rules.hosts.contains(rule.name);
  });
}

}  // namespace

Result<BrokerRules> read_rules(const BrokerConfig& config) {
  BrokerRules rules;
  ASSIGN_OR_RETURN(rules.domains, contracts::parse_domain_rules(config.allow_domains));
  for (const std::string& text : config.resolvers) {
    ASSIGN_OR_RETURN(const Endpoint endpoint, parse_endpoint(text, contracts::kDnsPort));
    rules.resolvers.push_back(endpoint);
  }
  TRY(read_hosts(config, rules));
  for (const std::string& text : config.allow_ranges) {
    ASSIGN_OR_RETURN(const IpRange range, parse_range(text));
    rules.ranges.push_back(range);
  }
  if (config.gateway) {
    ASSIGN_OR_RETURN(rules.gateway, read_gateway(*config.gateway));
  }
  if (rules.domains.empty() && !rules.gateway)
    return invalid_argument("INVALID_DOMAIN", "no domain is allowed");
  if (rules.resolvers.empty() && asks_servers(rules)) {
    return invalid_argument("NO_NAME_SERVER",
                            "this host has no name server in /etc/resolv.conf; its operator can "
                            "name one in network.resolvers");
  }
  return rules;
}

}  // namespace paddock::sandbox
