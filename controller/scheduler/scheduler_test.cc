#include "controller/scheduler/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/runs/kept_off.h"
#include "controller/scheduler/whole_plan_test_support.h"

namespace paddock::scheduler {
namespace {

using contracts::AcceleratorKind;
using contracts::Accelerators;

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
  EXPECT_THAT(made.unplaced[0].why.message,
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
  EXPECT_THAT(made.unplaced[0].why.message,
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
  strict.status.ceilings->termination_grace = wire::Wait{Millis(1'000)};
  run.spec.termination_grace = wire::Wait{Millis(1'001)};
  EXPECT_EQ(reason(run, {strict, make_node("open")}), "placed on open");
  run.spec.termination_grace = wire::Wait{Millis(1'000)};
  EXPECT_EQ(reason(run, {strict}), "placed on strict");
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

TEST(Scheduler, ARunIsKeptOffTheNodeThatCouldNotBeginIt) {
  contracts::Run run = make_run("r");
  EXPECT_EQ(reason(run, {make_node("a"), make_node("b")}), "placed on a");
  runs::keep_off(run, "a");
  EXPECT_EQ(reason(run, {make_node("a"), make_node("b")}), "placed on b");
  const std::string why = reason(run, {make_node("a")});
  EXPECT_NE(why.find("1 could not begin the run"), std::string::npos) << why;
  EXPECT_NE(why.find(cat("`kubectl annotate run NAME ", runs::kRefusedByAnnotation, "-`")),
            std::string::npos)
      << why;
}

TEST(Scheduler, ANodeCouldTakeWhatItAdmitsThoughItIsBusyNow) {
  contracts::Run run = make_run("r");
  contracts::Node node = make_node("n");
  const auto could = [&] { return could_take(demand_of(run), node, WallTime{1'000}); };
  EXPECT_TRUE(could());
  run.spec.node_selector = {{"zone", "x"}};
  EXPECT_FALSE(could());
  node.metadata.labels = {{"zone", "x"}};
  node.spec.taints = {{"gpu", "only", "NoSchedule"}};
  EXPECT_FALSE(could());
  node.spec.taints.clear();
  run.spec.resources.emplace().cpu = 5;
  EXPECT_FALSE(could());
  run.spec.resources->cpu = 4;
  EXPECT_TRUE(could());
  node.status.ends_at = wire::Timestamp{WallTime{2'000}};
  EXPECT_FALSE(could());
  node.status.ends_at.reset();
  node.status.ready = false;
  EXPECT_FALSE(could());
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
  EXPECT_NE(made.unplaced[0].why.message.find("2 cores"), std::string::npos);
}

TEST(Scheduler, NeverTakesMoreThanMaxRuns) {
  std::vector<contracts::Run> runs;
  for (int i = 0; i < 6; ++i) runs.push_back(make_run(cat("r", i)));
  const WholePlan made = plan(runs, {make_node("n")});
  EXPECT_EQ(made.bindings.size(), 4u);
  EXPECT_NE(made.unplaced.at(0).why.message.find("1 is full"), std::string::npos);
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
