#include "cli/output/policy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

using contracts::PolicyOrigin;
using testing::HasSubstr;

std::string text_of(contracts::PolicyRule rule) {
  contracts::PolicyExplanation explanation;
  explanation.rules.push_back(std::move(rule));
  return policy_text(explanation, [](std::string_view field) {
    return field == "limits.pids" ? std::optional<std::string>("p.yaml:4") : std::nullopt;
  });
}

TEST(PolicyText, NamesWhoSaysIt) {
  EXPECT_THAT(text_of({"limits.pids", "8", PolicyOrigin::kRun, "spec.sandbox.limits.pids"}),
              HasSubstr("p.yaml:4"));
  EXPECT_THAT(text_of({"limits.memory", "1Gi", PolicyOrigin::kRun, "spec.sandbox.limits.memory"}),
              HasSubstr("the run's spec.sandbox.limits.memory"));
  EXPECT_THAT(text_of({"limits.wallTime", "1m", PolicyOrigin::kTimeout, "spec.timeout"}),
              HasSubstr("the run's spec.timeout"));
  EXPECT_THAT(text_of({"limits.memory", "1Gi", PolicyOrigin::kProfile, "test"}),
              HasSubstr("the profile test"));
  EXPECT_THAT(text_of({"tools", "all", PolicyOrigin::kDefault}), HasSubstr("nothing names it"));
}

TEST(PolicyText, EndsWithRefusalsAndDenials) {
  contracts::PolicyExplanation explanation;
  explanation.rules.push_back(
      {"limits.pids", "9", PolicyOrigin::kProfile, "test", "at most 8", "9 is over 8"});
  explanation.denials.push_back({{"network connect", "a.example:443\x1b[2J", "", "", "", 3},
                                 contracts::DenialOutcome::kAllowed,
                                 "network.allowDomains[0]"});
  const std::string text = policy_text(explanation, [](auto) { return std::nullopt; });
  EXPECT_THAT(text, HasSubstr("\nrefused: limits.pids: 9 is over 8\n"));
  EXPECT_THAT(text, HasSubstr("allowed"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "what a program tried stays on its line";
}

}  // namespace
}  // namespace paddock::cli
