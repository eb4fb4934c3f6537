// BrokerConfig, understood. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/contracts/domain_rule.h"
#include "node-agent/sandbox/egress/addresses.h"
#include "node-agent/sandbox/egress/gateway.h"
#include "node-agent/sandbox/egress/messages.h"

namespace paddock::sandbox {

struct BrokerRules {
  std::vector<contracts::DomainRule> domains;           // none without a network
  std::vector<Endpoint> resolvers;                      // never empty where a domain is allowed
  std::map<std::string, std::vector<IpAddress>> hosts;  // known without asking a name server
  std::vector<IpRange> ranges;
  std::optional<Gateway> gateway;
};
// InvalidArgument with the first entry that cannot be understood.
Result<BrokerRules> read_rules(const BrokerConfig& config);

}  // namespace paddock::sandbox
