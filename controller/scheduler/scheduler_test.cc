#include "controller/scheduler/scheduler.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::scheduler {
namespace {

using contracts::AcceleratorKind;
using contracts::Accelerators;

contracts::Node make_node(const std::string& name, int64_t cpu = 4, int64_t memory = 8LL << 30) {
  contracts::Node node;
  node.metadata.name = name;
  node.status.ready = true;
  node.status.capacity = {cpu, {memory}, {1LL << 40}, 4};
  return node;
}

contracts::Run make_run(const std::string& name) {
  contracts::Run run;
  run.metadata.name = name;
  run.metadata.uid = name;
  run.metadata.creation_timestamp = wire::Timestamp{{1000}};
  return run;
}

WholePlan plan(const std::vector<contracts::Run>& runs, const std::vector<contracts::Node>& nodes) {
  return schedule(runs, nodes);
}

std::string reason(const contracts::Run& run, const std::vector<contracts::Node>& nodes) {
  const WholePlan made = plan({run}, nodes);
  return made.unplaced.empty() ? "placed on " + made.bindings.at(0).node
                               : made.unplaced.at(0).message;
}

TEST(Scheduler, GoesByPriorityThenAgeThenUid) {
  contracts::Run old = make_run("old");
  old.metadata.creation_timestamp = wire::Timestamp{{500}};
  contracts::Run urgent = make_run("urgent");
  urgent.spec.priority = 10;
  const WholePlan made = plan({make_run("b"), make_run("a"), old, urgent}, {make_node("n")});
  std::vector<std::string> order;
  for (const Binding& binding : made.bindings) order.push_back(binding.uid);
  EXPECT_EQ(order, (std::vector<std::string>{"urgent", "old", "a", "b"}));
}

TEST(Scheduler, SkipsARunThatFitsNowhereAndPlacesTheNext) {
  contracts::Run big = make_run("a-big");
  big.spec.resources.emplace().cpu = 64;
  const WholePlan made = plan({big, make_run("b-small")}, {make_node("n")});
  ASSERT_EQ(made.bindings.size(), 1u);
  EXPECT_EQ(made.bindings[0].uid, "b-small");
  ASSERT_EQ(made.unplaced.size(), 1u);
  EXPECT_THAT(made.unplaced[0].message,
              testing::AllOf(testing::HasSubstr("0/1 nodes fit"), testing::HasSubstr("64 cores")));
}

contracts::Run in_namespace(const std::string& name_space, const std::string& name) {
  contracts::Run run = make_run(name);
  run.metadata.name_space = name_space;
  return run;
}

// proves: ORB-10
TEST(Scheduler, ANamespaceHasItsNumberOfRunsAtOnceAndOthersGoOn) {
  contracts::Run running = in_namespace("busy", "a-running");
  running.status.phase = contracts::RunPhase::kRunning;
  running.status.node_name = "n";
  const std::vector<contracts::Run> runs = {running, in_namespace("busy", "b"),
                                            in_namespace("busy", "c"), in_namespace("busy", "d"),
                                            in_namespace("free", "e")};
  const WholePlan made = schedule(runs, {make_node("n")}, {.quotas = Quotas({}, 2)});
  ASSERT_EQ(made.bindings.size(), 2u);
  EXPECT_EQ(made.bindings[0].uid, "e") << "whose namespace holds nothing yet";
  EXPECT_EQ(made.bindings[1].uid, "b");
  ASSERT_EQ(made.unplaced.size(), 2u);
  EXPECT_THAT(made.unplaced[0].message,
              testing::AllOf(testing::HasSubstr("namespace busy"), testing::HasSubstr("2 runs"),
                             testing::HasSubstr("maxRunsPerNamespace")));
  EXPECT_EQ(made.unplaced[0].uid, "c");
  EXPECT_EQ(made.unplaced[0].position, 1);
  EXPECT_EQ(made.unplaced[1].position, 2);
}

TEST(Scheduler, PlacesNothingOverANodesCeilings) {
  contracts::Run run = make_run("big");
  run.status.policy.emplace().limits.memory = wire::Quantity{2LL << 30};
  contracts::Node strict = make_node("strict");
  strict.status.ceilings.emplace().limits.memory = wire::Quantity{1LL << 30};
  EXPECT_EQ(reason(run, {strict}),
            "0/1 nodes fit: 1 has lower ceilings than the run asks for; would help: ask "
            "for no more than a node's status.ceilings and largestLimits, or have its operator "
            "raise them: ceilings in the node agent's configuration");
  EXPECT_EQ(reason(run, {strict, make_node("open")}), "placed on open");
  run.status.policy->limits.memory = wire::Quantity{1LL << 30};
  EXPECT_EQ(reason(run, {strict}), "placed on strict");
  strict.status.ceilings->termination_grace = wire::Duration{Millis(1'000)};
  run.spec.termination_grace = wire::Duration{Millis(1'001)};
  EXPECT_EQ(reason(run, {strict, make_node("open")}), "placed on open");
  run.spec.termination_grace = wire::Duration{Millis(1'000)};
  EXPECT_EQ(reason(run, {strict}), "placed on strict");
}

TEST(Scheduler, PlacesNothingWhereTheDiskIsFullAndSaysSoForAllSuchNodes) {
  contracts::Node full = make_node("full");
  full.status.conditions = {{.type = "DiskPressure",
                             .status = "True",
                             .reason = "NODE_DISK_FULL",
                             .message = {},
                             .last_transition_time = {}}};
  contracts::Node other = full;
  other.metadata.name = "other";
  EXPECT_EQ(reason(make_run("r"), {full, other}),
            "0/2 nodes fit: 2 have a full disk; would help: free space on the disk of a node, or "
            "lower its cacheQuota (`paddock describe node NAME`)");
  EXPECT_EQ(reason(make_run("r"), {full, make_node("roomy")}), "placed on roomy");
  full.status.conditions[0].status = "False";
  EXPECT_EQ(reason(make_run("r"), {full}), "placed on full");
}

contracts::Canary failed_canary(const std::string& capability) {
  contracts::Canary canary;
  canary.name = capability;
  canary.capability = capability;
  return canary;
}

TEST(Scheduler, PlacesNothingWhereACanaryOfIsolationFailed) {
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

TEST(Scheduler, PlacesALimitWhereItsCanaryFailedOnlyIfThatMayBePartial) {
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

TEST(Scheduler, PlacesWhatAsksForToolsDevicesOrDomainsOnlyWhereTheirCanariesPassed) {
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
TEST(Scheduler, KeepsRunsWithALoopbackFromNodesThatGiveNoneUnlessItMayBeMissing) {
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

TEST(Scheduler, GroupsTheReasonsOfAllNodesAndSaysWhatWouldHelp) {
  contracts::Run run = make_run("r");
  run.spec.resources.emplace().accelerators = Accelerators{AcceleratorKind::kNvidia, 1};
  contracts::Node cordoned = make_node("c");
  cordoned.status.devices = {{"nvidia", "0", ""}};
  cordoned.spec.unschedulable = true;
  EXPECT_EQ(reason(run, {make_node("a"), make_node("b"), cordoned}),
            "0/3 nodes fit: 2 have no nvidia device, 1 is cordoned; would help: add a node with 1 "
            "nvidia device, or uncordon a node");
  EXPECT_EQ(reason(run, {}), "0/0 nodes fit: no node is enrolled; would help: start a node agent");
}

TEST(Scheduler, EachFilterRefusesForItsOwnReason) {
  contracts::Node node = make_node("n");
  contracts::Run run = make_run("r");
  EXPECT_EQ(reason(run, {node}), "placed on n");
  node.status.ready = false;
  EXPECT_NE(reason(run, {node}).find("is not ready"), std::string::npos);
  node.status.ready = true;

  run.spec.node_selector = {{"zone", "x"}};
  EXPECT_NE(reason(run, {node}).find("lacks the label zone=x"), std::string::npos);
  node.metadata.labels = {{"zone", "x"}};
  EXPECT_EQ(reason(run, {node}), "placed on n");

  run.spec.resources.emplace().memory = wire::Quantity{16LL << 30};
  EXPECT_NE(reason(run, {node}).find("has less than 16Gi of memory"), std::string::npos);
}

TEST(Scheduler, CountsWhatPlacedRunsTookAndNeverOvercommits) {
  contracts::Run half = make_run("r");
  half.spec.resources.emplace().cpu = 2;
  half.spec.resources->memory = wire::Quantity{3LL << 30};
  std::vector<contracts::Run> runs;
  for (int i = 0; i < 5; ++i) {
    runs.push_back(half);
    runs.back().metadata.uid = cat("r", i);
  }
  runs[0].status.phase = contracts::RunPhase::kRunning;
  runs[0].status.node_name = "n";
  const WholePlan made = plan(runs, {make_node("n")});
  EXPECT_EQ(made.bindings.size(), 1u);
  ASSERT_EQ(made.unplaced.size(), 3u);
  EXPECT_NE(made.unplaced[0].message.find("2 cores"), std::string::npos);
}

constexpr int64_t kGibi = int64_t{1} << 30;

contracts::Node with_disk(contracts::Node node, int64_t allocatable) {
  node.status.allocatable_disk = wire::Quantity{allocatable};
  return node;
}

contracts::Run with_disk(contracts::Run run, int64_t asked) {
  run.spec.resources.emplace().disk = wire::Quantity{asked};
  return run;
}

TEST(Scheduler, PlacesByTheDiskThatRunsAskFor) {
  const contracts::Node node = with_disk(make_node("n"), 100 * kGibi);
  const WholePlan made = plan(
      {with_disk(make_run("a"), 60 * kGibi), with_disk(make_run("b"), 60 * kGibi), make_run("c")},
      {node});
  ASSERT_EQ(made.bindings.size(), 2u) << "who asks for none is not held up by who waits";
  ASSERT_EQ(made.unplaced.size(), 1u);
  EXPECT_THAT(made.unplaced[0].message,
              testing::AllOf(testing::HasSubstr("0/1 nodes fit"), testing::HasSubstr("60.0 GiB"),
                             testing::HasSubstr("32.0 GiB"), testing::HasSubstr("resources.disk")));
  EXPECT_EQ(reason(with_disk(make_run("a"), 60 * kGibi), {make_node("n")}), "placed on n")
      << "an agent of before says nothing of it";
}

TEST(Scheduler, ARunThatAsksForNoDiskTakesALittle) {
  const std::vector<contracts::Run> three = {make_run("a"), make_run("b"), make_run("c")};
  EXPECT_EQ(plan(three, {with_disk(make_node("n"), 2 * kUsualDisk)}).bindings.size(), 2u);
  EXPECT_EQ(plan(three, {with_disk(make_node("n"), 3 * kUsualDisk)}).bindings.size(), 3u);
  EXPECT_NE(reason(three[0], {with_disk(make_node("n"), 0)}).find("(none has any)"),
            std::string::npos);
}

TEST(Scheduler, ARunWhoseFilesHadNoRoomGoesWhereTheyHaveAndHoldsNothingForThem) {
  contracts::Run large = make_run("large");
  large.status.disk_needed = wire::Quantity{10 * kGibi};
  const contracts::Node small = with_disk(make_node("a-small"), 9 * kGibi);
  EXPECT_NE(reason(large, {small}).find("use fewer or smaller files"), std::string::npos);
  const contracts::Node big = with_disk(make_node("b-big"), 11 * kGibi);
  EXPECT_EQ(reason(large, {small, big}), "placed on b-big");
  contracts::Run same = large;
  same.metadata.uid = same.metadata.name = "same";
  EXPECT_EQ(plan({large, same}, {big}).bindings.size(), 2u) << "the files are there once";
  large.status.disk_needed = wire::Quantity{std::numeric_limits<int64_t>::max()};
  large.spec.resources.emplace().disk = large.status.disk_needed;
  EXPECT_NE(reason(large, {small, big}).find("0/2 nodes fit"), std::string::npos);
}

TEST(Scheduler, AfterAWhileARunAsksAgainForFilesThatMayBeThereByThen) {
  Cluster cluster({});
  cluster.put_node(with_disk(make_node("n"), kGibi));
  contracts::Run large = make_run("large");
  large.status.disk_needed = wire::Quantity{10 * kGibi};
  large.status.conditions = {{"Scheduled", "False", "REFUSED", "", wire::Timestamp{{1000}}}};
  const WallTime again = WallTime{1000} + kAsksAgainAfter;
  for (int i = 0; i < 2; ++i) {
    cluster.put_run(large);
    EXPECT_TRUE(cluster.pass(WallTime{again.ms - 1}).bindings.empty());
    EXPECT_EQ(cluster.next_due(), again);
    EXPECT_EQ(cluster.pass(again).bindings.size(), 1u);
    EXPECT_FALSE(cluster.next_due());
    cluster.remove_run("large");
    EXPECT_EQ(cluster.placed() + cluster.waiting(), 0u);
  }
}

// As on a node with room for the bytes of a run's files and not for so many of them.
TEST(Scheduler, ARunThatIsRefusedThoughItFitsIsPlacedAgainLaterEachTime) {
  Cluster cluster({});
  cluster.put_node(with_disk(make_node("n"), kGibi));
  contracts::Run many = make_run("many");
  many.status.disk_needed = wire::Quantity{kUsualDisk};
  many.status.conditions = {{"Scheduled", "False", "REFUSED", "", wire::Timestamp{{1000}}}};
  const auto waits_ms = [&](int64_t refusals) {
    many.status.refusals = refusals;
    cluster.put_run(many);
    const int64_t due =
        cluster.pass(WallTime{1000}).bindings.empty() ? cluster.next_due()->ms : 1000;
    if (due > 1000) {
      EXPECT_TRUE(cluster.pass(WallTime{due - 1}).bindings.empty());
      EXPECT_EQ(cluster.pass(WallTime{due}).bindings.size(), 1u);
    }
    cluster.remove_run("many");
    EXPECT_FALSE(cluster.next_due());
    return due - 1000;
  };
  EXPECT_EQ(waits_ms(1), 0) << "it goes where there is room at once";
  EXPECT_EQ(waits_ms(2), 5'000);
  EXPECT_EQ(waits_ms(3), 10'000);
  EXPECT_EQ(waits_ms(5), 40'000);
  EXPECT_EQ(waits_ms(6), 60'000);
  EXPECT_EQ(waits_ms(1000), 60'000);
}

TEST(Scheduler, NeverTakesMoreThanMaxRuns) {
  std::vector<contracts::Run> runs;
  for (int i = 0; i < 6; ++i) runs.push_back(make_run(cat("r", i)));
  const WholePlan made = plan(runs, {make_node("n")});
  EXPECT_EQ(made.bindings.size(), 4u);
  EXPECT_NE(made.unplaced.at(0).message.find("1 is full"), std::string::npos);
}

TEST(Scheduler, ADeviceWithAFaultIsNotThere) {
  contracts::Run run = make_run("r");
  run.spec.resources.emplace().accelerators = Accelerators{AcceleratorKind::kNvidia, 1};
  contracts::Node node = make_node("n");
  node.status.devices = {{"nvidia", "0", "", {}, "it is gone"}};
  EXPECT_NE(reason(run, {node}).find("no nvidia device"), std::string::npos);
  node.status.devices.push_back({"nvidia", "1", ""});
  EXPECT_EQ(reason(run, {node}), "placed on n");
}

TEST(Scheduler, AnAcceleratorRunNeverLandsOnAHostWithoutOne) {
  contracts::Node apple = make_node("apple");
  apple.status.devices = {{"apple", "0", ""}};
  contracts::Node both = make_node("both");
  both.status.devices = {{"apple", "0", ""}, {"nvidia", "0", ""}};
  contracts::Run nvidia = make_run("r");
  nvidia.spec.resources.emplace().accelerators = Accelerators{AcceleratorKind::kNvidia, 1};
  EXPECT_EQ(reason(nvidia, {make_node("plain"), apple, both}), "placed on both");
  nvidia.spec.resources->accelerators->count = 2;
  EXPECT_NE(reason(nvidia, {make_node("plain"), apple, both}).find("fewer than 2 nvidia devices"),
            std::string::npos);
}

TEST(Scheduler, PromisesNoDeviceTwice) {
  contracts::Node node = make_node("n");
  node.status.devices = {{"apple", "0", ""}, {"nvidia", "0", ""}};
  std::vector<contracts::Run> runs;
  for (const auto kind : {AcceleratorKind::kAny, AcceleratorKind::kApple, AcceleratorKind::kAny}) {
    runs.push_back(make_run(cat("r", runs.size())));
    runs.back().spec.resources.emplace().accelerators = Accelerators{kind, 1};
  }
  const WholePlan made = plan(runs, {node});
  EXPECT_EQ(made.bindings.size(), 2u);
  EXPECT_NE(made.unplaced.at(0).message.find("accelerator"), std::string::npos);
}

TEST(Scheduler, PrefersTheNodeWithMostLeftAndSparesAccelerators) {
  contracts::Node device = make_node("a", 64, 256LL << 30);
  device.status.devices = {{"nvidia", "0", ""}};
  const WholePlan made = plan({make_run("r")}, {device, make_node("b", 2), make_node("c", 8)});
  EXPECT_EQ(made.bindings.at(0).node, "b");  // nothing is asked for: all shares are equal
  contracts::Run two = make_run("two");
  two.spec.resources.emplace().cpu = 2;
  EXPECT_EQ(plan({two}, {device, make_node("b", 2), make_node("c", 8)}).bindings.at(0).node, "c");
}

TEST(Scheduler, ThousandsOfRunsOnHundredsOfNodesAreOneShortStep) {
  std::vector<contracts::Node> nodes;
  for (int i = 0; i < 300; ++i) nodes.push_back(make_node(cat("n", i)));
  std::vector<contracts::Run> runs;
  for (int i = 0; i < 3000; ++i) runs.push_back(make_run(cat("r", i)));
  for (contracts::Run& run : runs) run.metadata.uid = run.metadata.name;
  const WholePlan made = schedule(runs, nodes);
  EXPECT_EQ(made.bindings.size(), 1200u);
  EXPECT_EQ(made.unplaced.size(), 1800u);
  EXPECT_EQ(schedule(runs, nodes).bindings.at(7).node, made.bindings.at(7).node);
}

}  // namespace
}  // namespace paddock::scheduler
