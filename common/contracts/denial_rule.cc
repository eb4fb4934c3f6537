#include "common/contracts/denial_rule.h"

#include <array>
#include <utility>

#include "common/base/text.h"

namespace paddock::contracts {
namespace {

struct Row {
  DenialRule rule;
  std::string_view name;
};
constexpr std::array kRules = {
    Row{DenialRule::kNetworkOff, "network.enabled=false"},
    Row{DenialRule::kDomains, "network.allowDomains"},
    Row{DenialRule::kLoopbackOff, "network.loopback=false"},
    Row{DenialRule::kTools, "tools"},
    Row{DenialRule::kSystemCalls, "system call filter"},
};

}  // namespace

std::string_view rule_name(DenialRule rule) {
  for (const Row& row : kRules)
    if (row.rule == rule) return row.name;
  return {};
}

std::string rule_text(DenialRule rule, std::string_view why) {
  return cat(rule_name(rule), ": ", why);
}

std::optional<DenialRule> rule_of(const Denial& denial) {
  const std::string_view name = std::string_view(denial.rule).substr(0, denial.rule.find(':'));
  for (const Row& row : kRules)
    if (row.name == name) return row.rule;
  return std::nullopt;
}

}  // namespace paddock::contracts
