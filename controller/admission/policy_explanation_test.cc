// Where each value of a policy comes from.
#include "controller/admission/policy_explanation.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::admission {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using contracts::PolicyRule;
using contracts::RunSpec;
using contracts::SandboxPolicy;

// `value <origin source> [bound] {refusal}` of one rule.
std::string said(const std::vector<PolicyRule>& rules, const std::string& field) {
  const auto rule = std::ranges::find(rules, field, &PolicyRule::rule);
  if (rule == rules.end()) return "no such rule";
  return cat(rule->value, " <", wire::enum_name(rule->origin), rule->source.empty() ? "" : " ",
             rule->source, ">");
}

std::vector<PolicyRule> explained(const RunSpec& spec, const AdmissionContext& context = {}) {
  const SandboxPolicy& profile = context.profiles.at(profile_of(spec)).policy;
  return explain_policy(spec, policy_for(spec, profile), context);
}

struct Origin {
  const char* what;
  std::function<void(RunSpec&)> ask;
  const char* field;
  const char* said;
};

class PolicyOrigins : public testing::TestWithParam<Origin> {};

TEST_P(PolicyOrigins, AreNamed) {
  RunSpec spec;
  spec.type = contracts::RunType::kCommand;
  GetParam().ask(spec);
  EXPECT_EQ(said(explained(spec), GetParam().field), GetParam().said) << GetParam().what;
}

void nothing(RunSpec&) {}
const Origin kOrigins[] = {
    {"the profile of its type", nothing, "limits.memory", "8Gi <profile command>"},
    {"another profile", [](RunSpec& s) { s.profile = "test"; }, "limits.memory",
     "512Mi <profile test>"},
    {"the run", [](RunSpec& s) { s.sandbox.limits.memory = wire::Quantity{1 << 30}; },
     "limits.memory", "1Gi <run spec.sandbox.limits.memory>"},
    {"the run says what the profile says", [](RunSpec& s) { s.sandbox.limits.pids = 1024; },
     "limits.pids", "1024 <run spec.sandbox.limits.pids>"},
    {"the timeout", [](RunSpec& s) { s.timeout = wire::Duration{std::chrono::minutes(5)}; },
     "limits.wallTime", "5m <timeout spec.timeout>"},
    {"the shorter one of both",
     [](RunSpec& s) {
       s.timeout = wire::Duration{std::chrono::minutes(5)};
       s.sandbox.limits.wall_time = wire::Duration{std::chrono::minutes(2)};
     },
     "limits.wallTime", "2m <run spec.sandbox.limits.wallTime>"},
    {"a limit that nobody names", nothing, "limits.cpuTime", "none <default>"},
    {"memory brings its address space",
     [](RunSpec& s) {
       s.profile = "snippet";
       s.sandbox.limits.memory = wire::Quantity{int64_t{1} << 30};
     },
     "limits.addressSpace", "1Gi <derived>"},
    {"no network", nothing, "network.enabled", "false <default>"},
    {"a network",
     [](RunSpec& s) {
       s.sandbox.network = contracts::NetworkPolicy{true, {"a.example", "b.example:22"}, {}};
     },
     "network.allowDomains[1]", "b.example:22 <run spec.sandbox.network.allowDomains[1]>"},
    {"the profile's loopback", nothing, "network.loopback", "true <profile command>"},
    {"no loopback",
     [](RunSpec& s) {
       s.sandbox.network = contracts::NetworkPolicy{false, {}, false};
     },
     "network.loopback", "false <run spec.sandbox.network.loopback>"},
    {"all tools", nothing, "tools", "all of the system's <default>"},
    {"tools", [](RunSpec& s) { s.sandbox.tools = {"python3"}; }, "tools[0]",
     "python3 <run spec.sandbox.tools[0]>"},
    {"a folder",
     [](RunSpec& s) {
       s.sandbox.host_mounts = {{"/data", "/d", contracts::MountMode::kReadWrite}};
     },
     "hostMounts[0]", "/data as /d, rw <run spec.sandbox.hostMounts[0]>"},
    {"a variable's value is not told", [](RunSpec& s) { s.sandbox.env["KEY"] = "secret"; },
     "env.KEY", "set <run spec.sandbox.env.KEY>"},
    {"partly", [](RunSpec& s) { s.sandbox.allow_partial = true; }, "allowPartial",
     "true <run spec.sandbox.allowPartial>"},
};
INSTANTIATE_TEST_SUITE_P(Each, PolicyOrigins, testing::ValuesIn(kOrigins));

// A stored run keeps the policy that it was given, whatever becomes of its profile.
TEST(PolicyExplanation, AFormerProfileIsNotTakenForTodays) {
  RunSpec spec;
  AdmissionContext context;
  SandboxPolicy then = policy_for(spec, context.profiles.at(profile_of(spec)).policy);
  then.limits.memory = wire::Quantity{3 << 20};
  EXPECT_EQ(said(explain_policy(spec, then, context), "limits.memory"),
            cat("3Mi <former-profile ", profile_of(spec), ">"));
  context.profiles.clear();
  EXPECT_EQ(said(explain_policy(spec, then, context), "limits.pids"),
            cat(*then.limits.pids, " <former-profile ", profile_of(spec), ">"));
}

TEST(PolicyExplanation, EachLimitHasARule) {
  const auto rules = explained({});
  const wire::Value limits =
      wire::encode(contracts::builtin_profiles().at("snippet").policy.limits);
  for (const auto& [name, value] : *limits.object())
    EXPECT_NE(said(rules, cat("limits.", name)), "no such rule") << name;
}

TEST(PolicyExplanation, SaysWhatBoundsItAndWhatWouldBeRefused) {
  AdmissionContext context;
  context.ceilings.limits.memory = wire::Quantity{4 << 20};
  RunSpec spec;
  spec.sandbox.limits.memory = wire::Quantity{8 << 20};
  spec.sandbox.network = contracts::NetworkPolicy{true, {"a.example"}, {}};
  spec.sandbox.host_mounts = {{"/data", "/d", contracts::MountMode::kReadOnly}};
  const auto rules = explained(spec, context);
  const auto of = [&](const std::string& field) {
    return *std::ranges::find(rules, field, &PolicyRule::rule);
  };
  EXPECT_THAT(of("limits.memory").bound,
              AllOf(HasSubstr("4Mi"), HasSubstr("ceilings.limits.memory")));
  EXPECT_NE(of("limits.memory").refusal, "");
  EXPECT_EQ(of("limits.pids").refusal, "");
  EXPECT_THAT(of("limits.pids").bound, HasSubstr("node"));
  EXPECT_THAT(of("network.enabled").bound, HasSubstr("ceilings.network"));
  EXPECT_NE(of("network.enabled").refusal, "");
  EXPECT_NE(of("hostMounts[0]").refusal, "");
}

}  // namespace
}  // namespace paddock::admission
