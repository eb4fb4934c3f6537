// A run that one node did not begin goes back there once no other one could take it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/runs/kept_off.h"
#include "controller/scheduler/cluster_test_support.h"

namespace paddock::scheduler {
namespace {

using testing::HasSubstr;
using testing::Not;

class GoingBack : public testing::Test {
 protected:
  void SetUp() override {
    cluster_.put_node(node("a"));
    cluster_.put_node(node("b", 1));
    run_.status.refusals = 1;
    run_.status.conditions = {{"Scheduled", "False", "REFUSED", "", wire::Timestamp{kNow}}};
    runs::keep_off(run_, "a");
  }
  static contracts::Node not_ready(const std::string& name) {
    contracts::Node out = node(name);
    out.status.ready = false;
    return out;
  }
  // Where it is placed then; empty: nowhere.
  std::string placed_at(WallTime when) {
    const Plan plan = cluster_.pass(when);
    return plan.bindings.empty() ? "" : plan.bindings[0].node;
  }
  std::string why() {
    const auto told = cluster_.explain(1);
    return told.empty() ? "" : told[0].why.message;
  }

  Cluster cluster_{{.quotas = {}, .preemption = true}};
  contracts::Run run_ = run("r");
  const WallTime due_ = kNow + std::chrono::seconds(10);
};

TEST_F(GoingBack, ItIsAskedAgainAndSaysWhenIfTheOthersAreGone) {
  cluster_.remove_node("b");
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(WallTime{due_.ms - 1}), "");
  EXPECT_EQ(cluster_.next_due(), due_);
  EXPECT_THAT(why(), HasSubstr(cat("; node a is asked again if no other one could take it at ",
                                   format_time(due_))));
  EXPECT_EQ(placed_at(due_), "a");
  EXPECT_FALSE(cluster_.next_due());
}

TEST_F(GoingBack, ItIsAskedAgainIfTheOthersCannotTakeIt) {
  cluster_.put_node(not_ready("b"));
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(WallTime{due_.ms - 1}), "");
  EXPECT_EQ(placed_at(due_), "a");
}

TEST_F(GoingBack, ThePauseDoublesWithEachRefusal) {
  cluster_.remove_node("b");
  const auto waits_s = [&](int64_t refusals) {
    run_.status.refusals = refusals;
    cluster_.put_run(run_);
    EXPECT_EQ(placed_at(kNow), "");
    const WallTime due = cluster_.next_due().value();
    EXPECT_EQ(placed_at(due), "a");
    cluster_.remove_run("r");
    return (due - kNow).count() / 1000;
  };
  EXPECT_EQ(waits_s(1), 10);
  EXPECT_EQ(waits_s(2), 20);
  EXPECT_EQ(waits_s(5), 160);
  EXPECT_EQ(waits_s(1000), 600);
}

TEST_F(GoingBack, AClockThatWentBackPutsItOffNoLonger) {
  cluster_.remove_node("b");
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(kNow + Millis(-3'600'000)), "a");
}

TEST_F(GoingBack, ItWaitsForAnotherOneThatIsBusyAsLongAsThatOneIsThere) {
  cluster_.put_run(bound(run("other"), "b"));
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(due_), "");
  EXPECT_THAT(why(), HasSubstr("; node a is asked again once no other one could take it"));
  const WallTime later = due_ + kOthersLookedAt;
  EXPECT_EQ(cluster_.next_due(), later);
  cluster_.put_run(run_);  // as after its reason was written
  EXPECT_EQ(cluster_.next_due(), later);
  cluster_.remove_node("b");
  EXPECT_EQ(placed_at(WallTime{later.ms - 1}), "");
  EXPECT_EQ(placed_at(later), "a");
}

TEST_F(GoingBack, ItGoesToAnotherOneAtOnce) {
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(kNow), "b");
}

TEST_F(GoingBack, TheNodesFaultAndItsRestAreWaitedFor) {
  contracts::Node resting = node("a");
  resting.status.cool_down.emplace().until = wire::Timestamp{due_ + std::chrono::minutes(1)};
  cluster_.put_node(resting);
  cluster_.put_node(not_ready("b"));
  cluster_.put_run(run_);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(placed_at(due_), "");
    EXPECT_FALSE(cluster_.next_due()) << "it is waited for, not asked";
    EXPECT_THAT(why(), testing::AllOf(HasSubstr("1 could begin no run and rests"),
                                      Not(HasSubstr("asked again"))));
    cluster_.put_run(run_);  // as after its reason was written
  }
  cluster_.put_node(node("a"));
  EXPECT_EQ(placed_at(due_), "a");
}

TEST_F(GoingBack, NobodyGivesWayToIt) {
  contracts::Run small = run("small");
  small.spec.retry.emplace();
  cluster_.put_node(node("a", 1));
  cluster_.remove_node("b");
  cluster_.put_run(bound(small, "a"));
  run_.spec.priority = 1;
  cluster_.put_run(run_);
  EXPECT_TRUE(cluster_.pass(due_).preemptions.empty());
  cluster_.put_run(run("urgent", "default", 1));
  EXPECT_EQ(cluster_.pass(due_).preemptions.size(), 1u);
}

TEST_F(GoingBack, OfANodeThatIsNotThereNothingIsSaid) {
  cluster_.remove_node("a");
  cluster_.put_node(not_ready("b"));
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(kNow), "");
  EXPECT_THAT(why(), Not(HasSubstr("asked again")));
}

}  // namespace
}  // namespace paddock::scheduler
