// Taints, levels, preemption, delays; and that what is told piece by piece ends in the
// same cluster as what is told at once.
#include "controller/scheduler/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/text.h"
#include "controller/scheduler/cluster_test_support.h"
#include "controller/scheduler/scheduler.h"

namespace paddock::scheduler {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Taints, KeepAwayWhatDoesNotTolerateThem) {
  contracts::Node tainted = node("gpu");
  tainted.spec.taints = {{"accelerator", "reserved", "NoSchedule"}};
  const auto message = [&](const contracts::Run& wanted) {
    const WholePlan plan = schedule({wanted}, {tainted});
    return plan.unplaced.empty() ? "placed" : plan.unplaced[0].why.message;
  };
  contracts::Run wanted = run("r");
  EXPECT_THAT(message(wanted), AllOf(HasSubstr("0/1 nodes fit"), HasSubstr("spec.taints")));
  using contracts::TolerationOperator;
  wanted.spec.tolerations = {{"accelerator", TolerationOperator::kEqual, "other", ""}};
  EXPECT_NE(message(wanted), "placed");
  wanted.spec.tolerations = {{"accelerator", TolerationOperator::kEqual, "reserved", ""}};
  EXPECT_EQ(message(wanted), "placed");
  wanted.spec.tolerations = {{"accelerator", TolerationOperator::kExists, "", "NoSchedule"}};
  EXPECT_EQ(message(wanted), "placed");
  wanted.spec.tolerations = {{"", TolerationOperator::kExists, "", ""}};
  EXPECT_EQ(message(wanted), "placed");
}

contracts::Canary canary(const std::string& capability, contracts::EnforcementLevel level) {
  contracts::Canary out;
  out.name = out.capability = capability;
  out.passed = true;
  out.level = level;
  return out;
}

TEST(SandboxLevel, IsAskedOfIsolationAndOfTheLimitsOfTheRun) {
  using Level = contracts::EnforcementLevel;
  contracts::Node polled = node("polled");
  polled.status.canaries = {canary("network", Level::kKernel), canary("memory", Level::kPolled)};
  contracts::Run wanted = run("r");
  wanted.spec.sandbox_level = Level::kKernel;
  EXPECT_EQ(schedule({wanted}, {polled}).bindings.size(), 1u) << "it has no limit on memory";
  wanted.status.policy.emplace().limits.memory = wire::Quantity{1 << 20};
  EXPECT_THAT(schedule({wanted}, {polled}).unplaced.at(0).why.message, HasSubstr("kernel"));
  wanted.spec.sandbox_level = Level::kPolled;
  EXPECT_EQ(schedule({wanted}, {polled}).bindings.size(), 1u);
  EXPECT_EQ(schedule({wanted}, {node("silent")}).bindings.size(), 0u) << "it has proven nothing";
}

TEST(Preemption, IsOffByDefaultAndThenTakesTheFewestOfLowestPriority) {
  const auto fill = [](Cluster& cluster) {
    cluster.put_node(node("n", 3));
    for (int i = 0; i < 3; ++i) {
      contracts::Run placed = run(cat("low", i), "default", i);
      if (i != 0) placed.spec.retry = contracts::RetryPolicy{};
      cluster.put_run(bound(placed, "n"));
    }
    cluster.put_run(run("urgent", "default", 10));
  };
  Cluster off({});
  fill(off);
  EXPECT_TRUE(off.pass(kNow).preemptions.empty());
  Cluster on({.quotas = {}, .preemption = true});
  fill(on);
  const Plan plan = on.pass(kNow);
  ASSERT_EQ(plan.preemptions.size(), 1u);
  EXPECT_EQ(plan.preemptions[0].uid, "low1") << "low0 has a lower priority but may not be repeated";
  on.put_node(node("n", 3));
  EXPECT_TRUE(on.pass(kNow).preemptions.empty()) << "room is being made already";
}

// Each of a node's many small runs is looked at once, and not again for each one that goes: if the
// time grew with the square of their number, this test would not end.
TEST(Preemption, TakesAsManyAsItMustOfAFullNode) {
  constexpr int kRuns = 10'000;
  Cluster cluster({.quotas = {}, .preemption = true});
  cluster.put_node(node("n", kRuns, kRuns));
  for (int i = 0; i < kRuns; ++i) {
    contracts::Run placed = with_cpu(run(cat("low", i)), 1);
    placed.spec.retry = contracts::RetryPolicy{};
    cluster.put_run(bound(placed, "n"));
  }
  cluster.put_run(with_cpu(run("urgent", "default", 10), kRuns - 1));
  EXPECT_EQ(cluster.pass(kNow).preemptions.size(), static_cast<size_t>(kRuns - 1));
}

TEST(Delay, ARunJoinsInWhenItsNextAttemptIsDue) {
  Cluster cluster({});
  cluster.put_node(node("n"));
  contracts::Run again = run("r");
  again.spec.retry = contracts::RetryPolicy{};
  static_cast<void>(runs::bind(again, "gone", kNow).value());
  static_cast<void>(runs::lose_node(again, "gone", kNow));
  cluster.put_run(again);
  EXPECT_TRUE(cluster.pass(kNow + Millis(9'999)).bindings.empty());
  EXPECT_TRUE(cluster.explain(5).empty()) << "its message says already when it is due";
  EXPECT_EQ(cluster.next_due(), std::optional(kNow + Millis(10'000)));
  EXPECT_EQ(cluster.pass(kNow + Millis(10'000)).bindings.size(), 1u);
}

// Most of a burst are placed before anyone can ask; who still waits at the next round is told then.
TEST(Explain, TellsFewOfABurstAtOnceAndTheRestInTheNextRound) {
  Cluster cluster({});
  for (int i = 0; i < 10; ++i) cluster.put_run(run("r" + std::to_string(i)));
  EXPECT_EQ(cluster.explain(100, false, 3).size(), 3u);
  EXPECT_TRUE(cluster.explain(100, false, 3).empty());
  EXPECT_TRUE(cluster.others_may_differ());
  EXPECT_FALSE(cluster.owes_explanations());
  cluster.remove_run("r9");
  std::set<std::string> told;
  const auto tell = [&](bool others) {
    for (const Unplaced& each : cluster.explain(4, others, 3)) told.insert(each.uid);
  };
  tell(true);
  EXPECT_TRUE(cluster.owes_explanations());
  while (cluster.owes_explanations()) tell(false);
  EXPECT_EQ(told.size(), 6u) << "those three know already, and r9 is gone";
  cluster.put_run(run("late"));
  EXPECT_EQ(cluster.explain(100, false, 3).size(), 1u) << "a round later few may come again";
}

TEST(Preview, SaysWhereARunWouldGoWithoutPlacingIt) {
  Cluster cluster({});
  cluster.put_node(node("n", 1));
  EXPECT_EQ(cluster.preview(run("r")).node, "n");
  EXPECT_EQ(cluster.preview(run("r")).node, "n") << "nothing was taken";
  cluster.put_run(run("first"));
  EXPECT_EQ(cluster.preview(run("r")).ahead, 1);
  cluster.pass(kNow);
  const Preview full = cluster.preview(run("r"));
  EXPECT_EQ(full.node, "");
  ASSERT_EQ(full.groups.size(), 1u);
  EXPECT_EQ(full.groups[0].reason, "is full");
}

// A random life of a cluster, told piece by piece.
class Life {
 public:
  explicit Life(uint64_t seed) : random_(seed) {
    Quota quota;
    quota.runs = 6;
    config_.quotas = Quotas({{"ns-1", quota}});
    cluster_.emplace(config_);
  }
  void step() {
    switch (random_.below(6)) {
      case 0: {
        const std::string name = cat("n", random_.below(6));
        nodes_[name] = node(name, pick(1, 5), pick(1, 8));
        nodes_[name].status.ready = random_.below(4) != 0;
        if (random_.below(3) == 0) nodes_[name].status.devices = {{"nvidia", "0", ""}};
        return cluster_->put_node(nodes_[name]);
      }
      case 1: {
        const std::string name = cat("n", random_.below(6));
        nodes_.erase(name);
        return cluster_->remove_node(name);
      }
      case 2:
        return end_one();
      default:
        return submit();
    }
  }
  void pass() {
    for (const Binding& each : cluster_->pass(kNow).bindings) {
      contracts::Run& placed = runs_.at(each.uid);
      static_cast<void>(runs::bind(placed, each.node, kNow).value());
      if (random_.below(2) == 0) cluster_->put_run(placed);  // heard of again, or not
    }
  }
  std::string told_at_once() const {
    Cluster fresh(config_);
    for (const auto& [name, each] : nodes_) fresh.put_node(each);
    for (const auto& [uid, each] : runs_) fresh.put_run(each);
    return fresh.fingerprint();
  }
  Cluster& cluster() { return *cluster_; }
  const std::map<std::string, contracts::Node>& nodes() const { return nodes_; }
  std::vector<contracts::Run> waiting() const {
    std::vector<contracts::Run> out;
    for (const auto& [uid, each] : runs_)
      if (each.status.phase == contracts::RunPhase::kPending) out.push_back(each);
    return out;
  }

 private:
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_.below(static_cast<uint64_t>(high - low + 1)));
  }
  void submit() {
    contracts::Run made = run(cat("r", ++count_), cat("ns-", random_.below(3)), pick(0, 2));
    if (random_.below(2) == 0) made = with_cpu(made, pick(1, 6));
    if (random_.below(5) == 0) {
      if (!made.spec.resources) made.spec.resources.emplace();
      made.spec.resources->accelerators.emplace();
    }
    runs_[made.metadata.uid] = made;
    cluster_->put_run(made);
  }
  void end_one() {
    if (runs_.empty()) return;
    auto at = runs_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(runs_.size())));
    cluster_->remove_run(at->first);
    runs_.erase(at);
  }

  SeededRandom random_;
  Cluster::Config config_;
  std::optional<Cluster> cluster_;
  std::map<std::string, contracts::Node> nodes_;
  std::map<std::string, contracts::Run> runs_;
  int count_ = 0;
};

TEST(Cluster, ToldPieceByPieceItHasTheSamePictureAndLeavesNothingBehindThatFits) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Life life(seed);
    for (int i = 0; i < 120; ++i) {
      life.step();
      if (i % 3 == 0) life.pass();
      if (i % 10 == 0) {
        ASSERT_EQ(life.cluster().fingerprint(), life.told_at_once()) << "seed " << seed;
      }
    }
    life.pass();
    for (const contracts::Run& each : life.waiting()) {
      EXPECT_EQ(life.cluster().preview(each).node, "")
          << each.metadata.uid << " waits though it fits, seed " << seed;
    }
  }
}

TEST(Cluster, ASearchOfALargeClusterFindsTheOneNodeThatFits) {
  Cluster cluster({});
  for (int i = 0; i < 1000; ++i) cluster.put_node(node(cat("n", i), 1, i == 777 ? 64 : 2));
  cluster.put_run(with_cpu(run("large"), 32));
  const Plan plan = cluster.pass(kNow);
  ASSERT_EQ(plan.bindings.size(), 1u);
  EXPECT_EQ(plan.bindings[0].node, "n777");
  for (int i = 0; i < 1000; ++i) cluster.put_run(run(cat("r", i)));
  EXPECT_EQ(cluster.pass(kNow).bindings.size(), 999u) << "every node is used";
}

}  // namespace
}  // namespace paddock::scheduler
