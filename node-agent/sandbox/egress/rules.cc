#include "node-agent/sandbox/egress/rules.h"

namespace paddock::sandbox {
Result<BrokerRules> read_rules(const BrokerConfig& config) {
  BrokerRules rules;
  ASSIGN_OR_RETURN(rules.domains, contracts::parse_domain_rules(config.allow_domains));
  for (const std::string& text : config.resolvers) {
    ASSIGN_OR_RETURN(const Endpoint endpoint, parse_endpoint(text, contracts::kDnsPort));
    rules.resolvers.push_back(endpoint);
  }
  for (const std::string& text : config.allow_ranges) {
    ASSIGN_OR_RETURN(const IpRange range, parse_range(text));
    rules.ranges.push_back(range);
  }
  if (config.gateway) {
    ASSIGN_OR_RETURN(rules.gateway, read_gateway(*config.gateway));
  }
  if (rules.domains.empty() && !rules.gateway)
    return invalid_argument("INVALID_DOMAIN", "no domain is allowed");
  if (rules.resolvers.empty() && !rules.domains.empty()) {
    return invalid_argument("NO_NAME_SERVER",
                            "this host has no name server in /etc/resolv.conf; its operator can "
                            "name one in network.resolvers");
  }
  return rules;
}

}  // namespace paddock::sandbox
