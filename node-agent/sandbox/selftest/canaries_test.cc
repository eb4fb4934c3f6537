#include "node-agent/sandbox/selftest/canaries.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using contracts::Canary;
using contracts::Enforcement;
using contracts::EnforcementLevel;

// Every canary as it goes on a sound host.
CanaryFindings sound() {
  CanaryFindings out;
  for (const CanarySpec& spec : canary_table()) {
    out.answers[std::string(spec.name)] = spec.good.front();
    out.enforced[std::string(spec.capability)] = {{}, true, "m", EnforcementLevel::kKernel, ""};
  }
  return out;
}

Canary find(const std::vector<Canary>& canaries, std::string_view name) {
  const auto found = std::ranges::find(canaries, name, &Canary::name);
  return found == canaries.end() ? Canary{} : *found;
}

TEST(Canaries, HaveNamesOfTheirOwnAndProveEveryIsolation) {
  std::set<std::string_view> names;
  std::set<std::string_view> proven_capabilities;
  for (const CanarySpec& spec : canary_table()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_FALSE(spec.good.empty()) << spec.name;
    proven_capabilities.insert(spec.capability);
  }
  for (const char* capability : {"filesystem", "network", "processes", "privileges", "syscalls",
                                 "environment", "memory", "pids", "cpuTime", "wallTime"})
    EXPECT_TRUE(proven_capabilities.contains(capability)) << capability;
}

TEST(Canaries, AllPassOnASoundHost) {
  const auto canaries = judge(sound(), {});
  for (const Canary& canary : canaries) {
    EXPECT_TRUE(canary.passed) << canary.name;
    EXPECT_EQ(canary.level, EnforcementLevel::kKernel) << canary.name;
  }
  for (const auto& capability : proven(sound(), canaries))
    EXPECT_TRUE(capability.available) << capability.name;
}

TEST(Canaries, ThatSucceededCostTheCapabilityWhateverTheResultClaims) {
  CanaryFindings findings = sound();
  findings.answers["connect"] = "reached the host";
  const auto canaries = judge(findings, {});
  EXPECT_FALSE(find(canaries, "connect").passed);
  EXPECT_EQ(find(canaries, "connect").level, EnforcementLevel::kNone);
  EXPECT_TRUE(find(canaries, "packet-socket").passed);
  for (const auto& capability : proven(findings, canaries)) {
    EXPECT_EQ(capability.available, capability.name != "network") << capability.name;
    if (capability.name == "network") {
      EXPECT_THAT(capability.details, testing::HasSubstr("reached the host"));
    }
  }
}

TEST(Canaries, StoppedByLuckProveNothing) {
  CanaryFindings findings = sound();
  findings.enforced["memory"].applied = false;
  findings.enforced.erase("syscalls");
  const auto canaries = judge(findings, {});
  EXPECT_FALSE(find(canaries, "memory").passed);
  EXPECT_FALSE(find(canaries, "bpf").passed);
}

TEST(Canaries, ThatCouldNotBeTriedHaveFailedAndSayWhy) {
  CanaryFindings findings;
  findings.why_not = "SANDBOX_SETUP_FAILED: making the namespaces";
  const auto canaries = judge(findings, {});
  ASSERT_EQ(canaries.size(), canary_table().size());
  for (const Canary& canary : canaries) {
    EXPECT_FALSE(canary.passed) << canary.name;
    EXPECT_TRUE(canary.got.ends_with(findings.why_not)) << canary.got;
  }
  // The plan says what would have been enforced; nothing was.
  findings.enforced["network"] = {{}, false, "m", EnforcementLevel::kKernel, ""};
  const auto capabilities = proven(findings, canaries);
  ASSERT_EQ(capabilities.size(), 2u);
  for (const auto& capability : capabilities) EXPECT_FALSE(capability.available);
}

TEST(Canaries, TakeTheFirstAnswerAndNoOtherLine) {
  CanaryFindings findings;
  take_answers("noise\nbpf\tEPERM\nbpf\tsucceeded\n\n", findings);
  ASSERT_EQ(findings.answers.size(), 1u);
  EXPECT_EQ(findings.answers["bpf"], "EPERM");
}

}  // namespace
}  // namespace paddock::sandbox
