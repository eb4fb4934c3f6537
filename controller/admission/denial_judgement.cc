#include "controller/admission/denial_judgement.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/denial_rule.h"
#include "common/contracts/domain_rule.h"
#include "common/contracts/network_reach.h"

namespace paddock::admission {
namespace {

using contracts::Denial;
using contracts::DenialOutcome;
using contracts::DenialRule;
using contracts::NetworkPolicy;
using contracts::SandboxPolicy;

struct Outcome {
  DenialOutcome outcome;
  std::string why;
};

Outcome denied(std::string why) { return {DenialOutcome::kDenied, std::move(why)}; }
Outcome allowed(std::string why) { return {DenialOutcome::kAllowed, std::move(why)}; }
Outcome unknown(std::string why) { return {DenialOutcome::kUnknown, std::move(why)}; }

// The entries of allowDomains that open this, in their own words.
std::string opened_by(const std::vector<std::string>& entries, std::string_view name,
                      std::optional<uint16_t> port) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto rules = contracts::parse_domain_rules({entries[i]});
    if (!rules.ok()) continue;
    const bool opens =
        port ? contracts::allows(*rules, name, *port) : contracts::allows_name(*rules, name);
    if (opens) return cat("network.allowDomains[", i, "]: ", entries[i]);
  }
  return {};
}

Outcome judge_name(const NetworkPolicy& network, const std::string& host,
                   std::optional<uint16_t> port) {
  const auto name = contracts::host_name(host);
  if (!name) return denied("addresses are not reached: connect by a name of network.allowDomains");
  const std::string entry = opened_by(network.allow_domains, *name, port);
  if (!entry.empty()) return allowed(entry);
  return denied(cat("no entry of network.allowDomains is ", *name, port ? cat(":", *port) : ""));
}

// Judges what a run tried to reach: `example.org:443`, or a name alone where it was looked up.
Outcome judge_reach(const Denial& denial, const NetworkPolicy& network) {
  if (!network.enabled) return denied("network.enabled is false");
  if (denial.what == contracts::kTriedToLookUp && contracts::host_name(denial.target))
    return judge_name(network, denial.target, {});
  const size_t colon = denial.target.rfind(':');
  const auto port =
      colon == std::string::npos
          ? std::nullopt
          : parse_integer<uint16_t>(std::string_view(denial.target).substr(colon + 1));
  if (denial.what == contracts::kTriedToConnect && port)
    return judge_name(network, denial.target.substr(0, colon), port);
  return denied("a network is for connections to the names of network.allowDomains alone");
}

Outcome judge_tool(const Denial& denial, const std::vector<std::string>& tools) {
  if (tools.empty()) return allowed("tools names none, so all of the system's may be executed");
  if (denial.what != contracts::kTriedToExecute)
    return denied("tools names programs, so nothing else executes");
  const auto named = std::ranges::find(tools, denial.target);
  if (named != tools.end() && denial.target.starts_with('/'))
    return allowed(cat("tools[", named - tools.begin(), "]: ", *named));
  return unknown("which files the names in tools are is known on the node alone");
}

Outcome outcome_of(const Denial& denial, const SandboxPolicy& policy) {
  const NetworkPolicy network = policy.network.value_or(NetworkPolicy{});
  if (denial.target == contracts::kOtherTargets)
    return unknown("of several, which the result only counts");
  const auto rule = contracts::rule_of(denial);
  if (!rule) return unknown(cat("not by the policy alone: ", denial.rule));
  switch (*rule) {
    case DenialRule::kLoopbackOff:
      return contracts::has_loopback(network) ? allowed("network.loopback")
                                              : denied("network.loopback is false");
    case DenialRule::kDomains:
    case DenialRule::kNetworkOff:
      return judge_reach(denial, network);
    case DenialRule::kTools:
      return judge_tool(denial, policy.tools);
    case DenialRule::kSystemCalls:
      break;
  }
  return denied(cat("no policy allows it: ", denial.rule));
}

}  // namespace

contracts::JudgedDenial judge_denial(const Denial& denial, const SandboxPolicy& policy) {
  Outcome judged = outcome_of(denial, policy);
  return {denial, judged.outcome, std::move(judged.why)};
}

}  // namespace paddock::admission
