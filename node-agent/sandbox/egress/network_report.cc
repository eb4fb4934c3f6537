#include "node-agent/sandbox/egress/network_report.h"

#include <iterator>
#include <string_view>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

constexpr std::string_view kEarlyEnd =
    "the network broker ended before the command: from then on nothing was reached, and what was "
    "before is not known";

// `127.64.0.1:8080` as `example.org:8080`.
void name_target(const std::map<std::string, std::string>& names, contracts::Denial& denial) {
  const size_t colon = denial.target.rfind(':');
  if (colon == std::string::npos) return;
  const auto name = names.find(denial.target.substr(0, colon));
  if (name != names.end()) denial.target.replace(0, colon, name->second);
}

void say_early_end(contracts::Enforcement& network) {
  std::string& details = network.details;
  details = details.empty() ? std::string(kEarlyEnd) : cat(kEarlyEnd, "; ", details);
  network.reason = Reason("BROKER_ENDED");
}

// The first of them: names are many, and a reason is a sentence.
void say_unreached(contracts::SandboxResult& result) {
  constexpr size_t kMostNamed = 3;
  if (result.status != contracts::SandboxStatus::kFailed) return;
  size_t named = 0;
  for (const contracts::NetworkFlow& flow : result.usage.network) {
    if (flow.problem.empty()) continue;
    if (named++ == kMostNamed) break;
    result.reason += cat("; ", flow.name, " is allowed, but ", flow.problem);
  }
}

}  // namespace

void tell_of_network(std::optional<BrokerReport> report, const std::string& sole_user,
                     contracts::SandboxResult& result) {
  if (!report) {
    result.denials.push_back({"network", "every name", "", std::string(kEarlyEnd),
                              "run it again; the operator may find out why the broker ended"});
    say_early_end(result.enforced["network"]);
    const auto gateway = result.enforced.find("toolGateway");
    if (gateway != result.enforced.end()) say_early_end(gateway->second);
    return;
  }
  for (contracts::Denial& denial : result.denials) name_target(report->names, denial);
  for (contracts::Denial& denial : report->denials) denial.executable = sole_user;
  result.denials.insert(result.denials.end(), std::move_iterator(report->denials.begin()),
                        std::move_iterator(report->denials.end()));
  result.usage.network = std::move(report->flows);
  say_unreached(result);
}

}  // namespace paddock::sandbox
