#include "common/contracts/denial_rule.h"

#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

std::optional<DenialRule> rule_of_text(std::string rule) {
  Denial denial;
  denial.rule = std::move(rule);
  return rule_of(denial);
}

TEST(DenialRule, IsKnownByItsNameWithAndWithoutAnExplanation) {
  using enum DenialRule;
  for (const DenialRule rule : {kNetworkOff, kDomains, kLoopbackOff, kTools, kSystemCalls}) {
    EXPECT_FALSE(rule_name(rule).empty());
    EXPECT_EQ(rule_of_text(std::string(rule_name(rule))), rule);
    EXPECT_EQ(rule_of_text(rule_text(rule, "why: since")), rule);
  }
  EXPECT_EQ(rule_text(kTools, "why"), "tools: why");
}

// Stored results have these words, and clients read them.
TEST(DenialRule, HasTheNamesThatResultsHave) {
  using enum DenialRule;
  EXPECT_EQ(rule_of_text("network.enabled=false"), kNetworkOff);
  EXPECT_EQ(rule_of_text("network.allowDomains"), kDomains);
  EXPECT_EQ(rule_of_text("network.loopback=false"), kLoopbackOff);
  EXPECT_EQ(rule_of_text("tools: only the programs that it names may be executed"), kTools);
  EXPECT_EQ(rule_of_text("system call filter: mounts"), kSystemCalls);
}

TEST(DenialRule, OfAnotherKindIsNone) {
  for (const char* rule : {"", ":", ": tools", "toolshed: x", "Tools: x", "network.allowDomains[0]",
                           "the name leads to an address that is not public", "system call"})
    EXPECT_EQ(rule_of_text(rule), std::nullopt) << rule;
}

}  // namespace
}  // namespace paddock::contracts
