// The messages between a launcher and its network broker: the rules at the beginning, and the
// broker's report at the end.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/contracts/network.h"
#include "common/contracts/sandbox_result.h"
#include "common/contracts/tool_gateway.h"

namespace paddock::sandbox {

using contracts::field;

struct BrokerConfig {
  std::vector<std::string> allow_domains;  // of the policy
  std::vector<std::string> resolvers;      // addresses, never empty where a domain is allowed
  std::map<std::string, std::vector<std::string>> hosts;  // of the node's hosts file, as allowed
  std::vector<std::string> allow_ranges;                  // of the operator
  std::optional<contracts::ToolGateway> gateway;          // of a run with a tool token
  std::optional<int64_t> uid;                             // to become, when started by root
  static constexpr auto describe(auto&& visit) {
    return visit(field("allowDomains", &BrokerConfig::allow_domains, "the policy's"),
                 field("resolvers", &BrokerConfig::resolvers, "name servers"),
                 field("hosts", &BrokerConfig::hosts, "addresses of names"),
                 field("allowRanges", &BrokerConfig::allow_ranges, "the operator's"),
                 field("gateway", &BrokerConfig::gateway, "the way to the controller"),
                 field("uid", &BrokerConfig::uid, "user to become"));
  }
};

struct BrokerReport {
  std::vector<contracts::Denial> denials;
  std::vector<contracts::NetworkFlow> flows;
  std::map<std::string, std::string> names;  // synthetic address -> name
  static constexpr auto describe(auto&& visit) {
    return visit(field("denials", &BrokerReport::denials, "what was refused"),
                 field("flows", &BrokerReport::flows, "what was allowed"),
                 field("names", &BrokerReport::names, "of the addresses inside"));
  }
};

}  // namespace paddock::sandbox
