// Quotas that grants set: what is counted, what waits and what it is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/scheduler/cluster_test_support.h"

namespace paddock::scheduler {
namespace {

using contracts::AcceleratorKind;
using contracts::ComputeQuota;
using testing::AllOf;
using testing::HasSubstr;

constexpr int64_t kGi = int64_t{1} << 30;

contracts::Run with_sandbox_memory(contracts::Run out, int64_t bytes) {
  out.status.policy.emplace().limits.memory = wire::Quantity{bytes};
  return out;
}

contracts::Run with_devices(contracts::Run out, AcceleratorKind kind, int64_t count) {
  out.spec.resources.emplace().accelerators = contracts::Accelerators{kind, count};
  return out;
}

ComputeQuota devices(AcceleratorKind kind, int64_t count) {
  ComputeQuota quota;
  quota.accelerators = {{kind, count}};
  return quota;
}

// A node with room for everything.
contracts::Node large_node() {
  contracts::Node out = node("n", 100, 100);
  for (int i = 0; i < 8; ++i) out.status.devices.push_back({"nvidia", cat("n", i), ""});
  for (int i = 0; i < 8; ++i) out.status.devices.push_back({"apple", cat("a", i), ""});
  return out;
}

// How many of these runs are placed under the quota.
size_t placed(const ComputeQuota& quota, const std::vector<contracts::Run>& runs) {
  Cluster cluster({});
  cluster.put_node(large_node());
  cluster.put_quota("default", "bound", quota);
  for (const contracts::Run& each : runs) cluster.put_run(each);
  return cluster.pass(kNow).bindings.size();
}

// proves: ORB-10
TEST(GrantedQuota, BoundsRunsAndCores) {
  ComputeQuota runs;
  runs.runs = 2;
  EXPECT_EQ(placed(runs, {run("a"), run("b"), run("c")}), 2u);
  ComputeQuota cores;
  cores.cpu = 3;
  EXPECT_EQ(placed(cores, {with_cpu(run("a"), 2), with_cpu(run("b"), 2), with_cpu(run("c"), 1)}),
            2u);
  EXPECT_EQ(placed(cores, {run("a"), run("b"), run("c"), run("d")}), 3u)
      << "one that asks for no cores has one";
}

TEST(GrantedQuota, BoundsTheMemoryThatSandboxesWouldLetRunsUse) {
  ComputeQuota quota;
  quota.memory = wire::Quantity{4 * kGi};
  const auto of = [](const std::string& uid, int64_t gi) {
    return with_sandbox_memory(run(uid), gi * kGi);
  };
  EXPECT_EQ(placed(quota, {of("a", 2), of("b", 2), of("c", 1)}), 2u);
  contracts::Run modest = of("a", 8);
  modest.spec.resources.emplace().memory = wire::Quantity{1};
  EXPECT_EQ(placed(quota, {modest}), 0u) << "what it says that it needs is not what it may use";
  contracts::Run roomy = of("a", 1);
  roomy.spec.resources.emplace().memory = wire::Quantity{5 * kGi};
  EXPECT_EQ(placed(quota, {roomy}), 0u) << "what is set aside for it counts";
  EXPECT_EQ(placed(quota, {run("a")}), 0u) << "a sandbox without a limit is over any";
}

TEST(GrantedQuota, BoundsAcceleratorsByKind) {
  const auto nvidia = [](const std::string& uid, int64_t count) {
    return with_devices(run(uid), AcceleratorKind::kNvidia, count);
  };
  const contracts::Run apple = with_devices(run("z"), AcceleratorKind::kApple, 1);
  const contracts::Run any = with_devices(run("any"), AcceleratorKind::kAny, 1);
  const ComputeQuota two = devices(AcceleratorKind::kNvidia, 2);
  EXPECT_EQ(placed(two, {nvidia("a", 1), nvidia("b", 1), nvidia("c", 1), apple}), 3u);
  EXPECT_EQ(placed(two, {nvidia("a", 1), any, nvidia("c", 1)}), 2u)
      << "one of any kind may turn out to be of this one";
  EXPECT_EQ(placed(devices(AcceleratorKind::kNvidia, 0), {any}), 0u);
  EXPECT_EQ(placed(devices(AcceleratorKind::kAny, 2), {nvidia("a", 1), apple, any}), 2u);
  EXPECT_EQ(placed(devices(AcceleratorKind::kAny, 0), {run("none")}), 1u);
}

TEST(GrantedQuota, IsOfItsNamespaceAloneAndSeveralHoldTogether) {
  Cluster cluster({});
  cluster.put_node(large_node());
  ComputeQuota wide;
  wide.runs = 3;
  ComputeQuota narrow;
  narrow.cpu = 2;
  cluster.put_quota("a", "wide", wide);
  cluster.put_quota("a", "narrow", narrow);
  for (int i = 0; i < 5; ++i) {
    cluster.put_run(run(cat("a", i), "a"));
    cluster.put_run(run(cat("b", i), "b"));
  }
  EXPECT_EQ(bound_by_space(cluster.pass(kNow)), (std::map<std::string, int>{{"a", 2}, {"b", 5}}));
}

TEST(GrantedQuota, TheOperatorsHoldsToo) {
  Quota row;
  row.runs = 1;
  Cluster cluster(with_quota("default", row));
  cluster.put_node(large_node());
  ComputeQuota wide;
  wide.runs = 3;
  cluster.put_quota("default", "wide", wide);
  cluster.put_run(run("a"));
  cluster.put_run(run("b"));
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 1u);
  EXPECT_THAT(cluster.explain(1).at(0).why.message, HasSubstr("operator"));
}

TEST(GrantedQuota, SaysWhichHowMuchIsUsedAndWhatWouldHelp) {
  Cluster cluster({});
  cluster.put_node(large_node());
  ComputeQuota quota;
  quota.cpu = 4;
  cluster.put_quota("team-a", "bound", quota);
  cluster.put_run(with_cpu(run("a", "team-a"), 3));
  cluster.put_run(with_cpu(run("b", "team-a"), 2));
  cluster.put_run(with_cpu(run("c", "team-a"), 5));
  cluster.pass(kNow);
  const auto told = cluster.explain(10);
  ASSERT_EQ(told.size(), 2u);
  for (const auto& each : told) {
    EXPECT_THAT(each.why.message, AllOf(HasSubstr("namespace team-a"), HasSubstr("grant bound"),
                                        HasSubstr("spec.compute.quota.cpu")));
  }
  EXPECT_THAT(told[0].why.message, AllOf(HasSubstr("3 of 4 cores"), HasSubstr("wait for")));
  EXPECT_THAT(told[1].why.message, AllOf(HasSubstr("4 cores"), HasSubstr("5"), HasSubstr("less")));
}

TEST(GrantedQuota, AChangeHoldsAtOnceAndEndsNothing) {
  Cluster cluster({});
  cluster.put_node(large_node());
  ComputeQuota quota;
  quota.runs = 2;
  cluster.put_quota("default", "bound", quota);
  for (int i = 0; i < 5; ++i) cluster.put_run(run(cat("r", i)));
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 2u);
  cluster.explain(10);
  quota.runs = 1;
  cluster.put_quota("default", "bound", quota);
  const Plan lowered = cluster.pass(kNow);
  EXPECT_TRUE(lowered.bindings.empty());
  EXPECT_TRUE(lowered.preemptions.empty());
  EXPECT_EQ(cluster.charged("default").runs, 2);
  const auto told = cluster.explain(10, false);
  ASSERT_EQ(told.size(), 3u) << "all who wait are told the new number";
  EXPECT_THAT(told[0].why.message, HasSubstr("2 of 1 runs"));
  cluster.remove_run("r0");
  EXPECT_TRUE(cluster.pass(kNow).bindings.empty()) << "one is what it may have";
  quota.runs = 3;
  cluster.put_quota("default", "bound", quota);
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 2u);
  cluster.put_quota("default", "bound", std::nullopt);
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 1u) << "it is gone";
  cluster.put_quota("default", "bound", std::nullopt);
  EXPECT_TRUE(cluster.explain(10, false).empty());
}

TEST(GrantedQuota, PutBackIsWhatItWas) {
  Cluster cluster({});
  ComputeQuota quota;
  quota.runs = 2;
  const std::string before = cluster.fingerprint();
  cluster.put_quota("default", "bound", quota);
  EXPECT_NE(cluster.fingerprint(), before);
  cluster.put_quota("default", "bound", std::nullopt);
  EXPECT_EQ(cluster.fingerprint(), before);
}

TEST(GrantedQuota, ManyPlacedSandboxesWithoutALimitAreCountedWithoutOverflow) {
  Charges all;
  const Charge charge = charge_of(demand_of(run("a")));
  EXPECT_EQ(charge.memory, kMostMemory);
  EXPECT_EQ(charge.disk, kMostDisk);
  for (int i = 0; i < 100'000; ++i) all.add(charge);
  EXPECT_EQ(all.memory, 100'000 * kMostMemory);
  EXPECT_EQ(all.disk, 100'000 * kMostDisk);
  contracts::Run boundless = with_sandbox_memory(run("b"), INT64_MAX);
  EXPECT_EQ(charge_of(demand_of(boundless)).memory, kMostMemory);
}

TEST(GrantedQuota, CountsTheDiskThatSandboxesMayWriteWhateverTheirRunsAskFor) {
  const auto writes = [](const char* uid, int64_t gi) {
    contracts::Run out = with_sandbox_memory(run(uid), kGi);
    out.status.policy->limits.fs_bytes = wire::Quantity{gi * kGi};
    return out;
  };
  ComputeQuota quota;
  quota.disk = wire::Quantity{10 * kGi};
  EXPECT_EQ(placed(quota, {writes("a", 4), writes("b", 4), writes("c", 4)}), 2u);
  contracts::Run modest = writes("d", 11);
  modest.spec.resources.emplace().disk = wire::Quantity{1};
  const auto check = [&](const contracts::Run& asked) {
    return check_alone("team-a", "", quota, charge_of(demand_of(asked)));
  };
  EXPECT_TRUE(check(writes("e", 10)).ok());
  const Error refused = check(modest).error();
  EXPECT_EQ(refused.causes.at(0).field, "spec.sandbox.limits.fsBytes");
  EXPECT_THAT(refused.message, AllOf(HasSubstr("team-a"), HasSubstr("10Gi of disk"),
                                     HasSubstr("11Gi"), HasSubstr("operator")));
  EXPECT_EQ(check(with_sandbox_memory(run("f"), kGi)).error().reason, "QUOTA_TOO_SMALL");
  contracts::Sandbox session;
  session.spec.security.limits.fs_bytes = 5 * kGi;
  EXPECT_EQ(charge_of(session).disk, 5 * kGi);
}

TEST(GrantedQuota, RefusesWhatAloneIsOverIt) {
  ComputeQuota quota;
  quota.memory = wire::Quantity{kGi};
  const auto check = [&](const contracts::Run& asked) {
    return check_alone("team-a", "bound", quota, charge_of(demand_of(asked)));
  };
  EXPECT_TRUE(check(with_sandbox_memory(run("a"), kGi)).ok());
  const Error refused = check(with_sandbox_memory(run("a"), 2 * kGi)).error();
  EXPECT_EQ(refused.reason, "QUOTA_TOO_SMALL");
  EXPECT_EQ(refused.causes.at(0).field, "spec.sandbox.limits.memory");
  EXPECT_THAT(refused.message, AllOf(HasSubstr("grant bound"), HasSubstr("1Gi of memory"),
                                     HasSubstr("2Gi"), HasSubstr("spec.compute.quota.memory")));
  const Error unbounded = check(run("a")).error();
  EXPECT_EQ(unbounded.reason, "QUOTA_TOO_SMALL");
  EXPECT_EQ(unbounded.causes.at(0).field, "spec.sandbox.limits.memory");
}

}  // namespace
}  // namespace paddock::scheduler
