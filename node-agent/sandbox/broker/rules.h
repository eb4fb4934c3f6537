// BrokerConfig, understood. Pure.
#pragma once

#include <vector>

#include "common/contracts/domain_rule.h"
#include "node-agent/sandbox/broker/addresses.h"
#include "node-agent/sandbox/broker/messages.h"

namespace paddock::sandbox {

struct BrokerRules {
  std::vector<contracts::DomainRule> domains;  // never empty
  std::vector<Endpoint> resolvers;             // never empty
  std::vector<IpRange> ranges;
};
// InvalidArgument with the first entry that cannot be understood.
Result<BrokerRules> read_rules(const BrokerConfig& config);

}  // namespace paddock::sandbox
