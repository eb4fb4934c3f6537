// What is placed where a node has not proven what its sandbox is to enforce.
#include <map>

#include <gtest/gtest.h>

#include "controller/scheduler/whole_plan_test_support.h"

namespace paddock::scheduler {
namespace {

contracts::Canary failed_canary(const std::string& capability) {
  contracts::Canary canary;
  canary.name = capability;
  canary.capability = capability;
  return canary;
}

TEST(SchedulerCanaries, PlacesNothingWhereACanaryOfIsolationFailed) {
  for (const char* capability : {"network", "filesystem", "processes", "privileges", "syscalls"}) {
    contracts::Run run = make_run("r");
    run.status.policy.emplace().allow_partial = true;  // never covers isolation
    contracts::Node weak = make_node("weak");
    weak.status.canaries = {failed_canary(capability)};
    EXPECT_EQ(reason(run, {weak}),
              "0/1 nodes fit: 1 failed the canaries of its isolation; would help: run `paddock "
              "doctor` on a node that failed: it prints the fix")
        << capability;
    EXPECT_EQ(reason(run, {weak, make_node("sound")}), "placed on sound");
  }
}

TEST(SchedulerCanaries, PlacesALimitWhereItsCanaryFailedOnlyIfThatMayBePartial) {
  contracts::Node weak = make_node("weak");
  weak.status.canaries = {failed_canary("memory"), failed_canary("landlock")};
  contracts::Run run = make_run("r");
  EXPECT_EQ(reason(run, {weak}), "placed on weak");  // asks for no such limit
  run.status.policy.emplace().limits.memory = wire::Quantity{1 << 20};
  EXPECT_EQ(reason(run, {weak}),
            "0/1 nodes fit: 1 failed the canary of the limit memory; would help: run `paddock "
            "doctor` on a node that failed: it prints the fix, or set allowPartial");
  weak.status.canaries[0].passed = true;
  EXPECT_EQ(reason(run, {weak}), "placed on weak");
  weak.status.canaries[0].passed = false;
  run.status.policy->allow_partial = true;
  EXPECT_EQ(reason(run, {weak}), "placed on weak");
}

TEST(SchedulerCanaries, PlacesWhatAsksForToolsDevicesOrDomainsOnlyWhereTheirCanariesPassed) {
  const std::map<std::string, void (*)(contracts::SandboxPolicy&)> asking = {
      {"tools", [](contracts::SandboxPolicy& policy) { policy.tools = {"sh"}; }},
      {"devices", [](contracts::SandboxPolicy& policy) { policy.devices = {"/dev/accel0"}; }},
      {"allowDomains",
       [](contracts::SandboxPolicy& policy) {
         policy.network = contracts::NetworkPolicy{true, {"example.com"}};
       }},
  };
  for (const auto& [capability, ask] : asking) {
    contracts::Node weak = make_node("weak");
    auto& ceilings = weak.status.ceilings.emplace();
    ceilings.network = true;
    ceilings.devices = {"/dev/accel0"};
    weak.status.canaries = {failed_canary(capability)};
    contracts::Run run = make_run("r");
    EXPECT_EQ(reason(run, {weak}), "placed on weak") << capability;
    run.status.policy.emplace().allow_partial = true;  // never covers these
    ask(*run.status.policy);
    EXPECT_EQ(reason(run, {weak}), "0/1 nodes fit: 1 failed the canary of " + capability +
                                       "; would help: run `paddock doctor` on a node that failed: "
                                       "it prints the fix");
  }
}

// It is no right to anything outside: who says that it may be missing goes there all the same.
TEST(SchedulerCanaries, KeepsRunsWithALoopbackFromNodesThatGiveNoneUnlessItMayBeMissing) {
  contracts::Node weak = make_node("weak");
  weak.status.canaries = {failed_canary("loopback")};
  contracts::Run run = make_run("r");
  EXPECT_EQ(reason(run, {weak}), "placed on weak");
  contracts::SandboxPolicy& policy = run.status.policy.emplace();
  policy.network = contracts::NetworkPolicy{.loopback = true};
  EXPECT_NE(reason(run, {weak}).find("1 failed the canary of loopback"), std::string::npos);
  policy.allow_partial = true;
  EXPECT_EQ(reason(run, {weak}), "placed on weak");
}

}  // namespace
}  // namespace paddock::scheduler
