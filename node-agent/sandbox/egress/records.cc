#include "node-agent/sandbox/egress/records.h"

#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/denial_rule.h"
#include "common/contracts/domain_rule.h"

namespace paddock::sandbox {

void Records::refused_lookup(const std::string& name) {
  contracts::Denial denial;
  denial.what = contracts::kTriedToLookUp;
  denial.target = name;
  denial.rule = contracts::rule_name(contracts::DenialRule::kDomains);
  denial.remedy = contracts::host_name(name)
                      ? cat("add ", name, " to network.allowDomains")
                      : "look up names that network.allowDomains lists; this is no host name";
  denials_.add(std::move(denial));
}

void Records::refused_connection(const std::string& target, std::string rule, std::string remedy) {
  contracts::Denial denial;
  denial.what = contracts::kTriedToConnect;
  denial.target = target;
  denial.rule = std::move(rule);
  denial.remedy = std::move(remedy);
  denials_.add(std::move(denial));
}

size_t Records::flow(const std::string& name, uint16_t port, const std::string& address) {
  const auto known = std::ranges::find_if(flows_, [&](const contracts::NetworkFlow& flow) {
    return flow.name == name && flow.port == port && flow.address == address;
  });
  if (known != flows_.end()) return static_cast<size_t>(known - flows_.begin());
  if (flows_.size() == kMostFlows) flows_.push_back({"further names", 0, ""});
  if (flows_.size() > kMostFlows) return kMostFlows;
  flows_.push_back({name, port, address});
  return flows_.size() - 1;
}

void Records::failed(size_t flow, Problem problem) {
  ++flows_[flow].failures;
  flows_[flow].problem = std::move(problem.text);
  flows_[flow].reason = problem.reason;
}

void Records::moved(size_t flow, int64_t sent, int64_t received) {
  flows_[flow].sent_bytes += sent;
  flows_[flow].received_bytes += received;
}

BrokerReport Records::take() { return {denials_.take(), std::exchange(flows_, {}), {}}; }

}  // namespace paddock::sandbox
