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
  // The node that the run is kept off.
  void let_it_rest(WallTime until) {
    contracts::Node resting = node("a");
    resting.status.cool_down.emplace().until = wire::Timestamp{until};
    cluster_.put_node(resting);
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

TEST_F(GoingBack, OfThousandsNoMoreAskTheNodeAtATimeThanItHasSlotsAndEachOnceInItsPause) {
  cluster_.remove_node("b");
  const auto refused = [&](const std::string& uid, int64_t refusals, WallTime when) {
    run_.metadata.uid = run_.metadata.name = uid;
    run_.status.refusals = refusals;
    run_.status.conditions[0].last_transition_time = wire::Timestamp{when};
    cluster_.put_run(run_);
  };
  for (int i = 0; i < 10'000; ++i) refused(cat("r", i), 1, kNow);
  std::map<std::string, int> asked;
  const WallTime second_pause_over = due_ + std::chrono::seconds(20);
  for (WallTime now = due_; now < second_pause_over; now = now + Millis(500)) {
    const Plan plan = cluster_.pass(now);
    ASSERT_LE(plan.bindings.size(), 4u) << "its slots";
    for (const Binding& each : plan.bindings) {
      ++asked[each.uid];
      refused(each.uid, 2, now);
    }
  }
  EXPECT_EQ(asked.size(), 160u) << "four each time";
  for (const auto& [uid, times] : asked) EXPECT_EQ(times, 1) << uid;
}

TEST_F(GoingBack, AClockThatWentBackPutsItOffNoLonger) {
  cluster_.remove_node("b");
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(kNow + Millis(-3'600'000)), "a");
}

TEST_F(GoingBack, AClockThatWentBackHidesNoneBehindAnother) {
  cluster_.put_run(bound(run("other"), "b"));
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(due_), "");  // and is looked at again in a minute
  const WallTime earlier{kNow.ms - 3'600'000};
  contracts::Run newer = run("newer");
  newer.status.refusals = 1;
  newer.status.conditions = {{"Scheduled", "False", "REFUSED", "", wire::Timestamp{earlier}}};
  runs::keep_off(newer, "b");
  cluster_.put_node(not_ready("a"));
  cluster_.put_run(newer);
  EXPECT_EQ(placed_at(earlier), "");
  EXPECT_LE(*cluster_.next_due(), earlier + kOthersLookedAt);
  cluster_.put_node(node("a"));
  cluster_.remove_node("b");
  EXPECT_EQ(placed_at(earlier + 2 * kOthersLookedAt), "a");
}

TEST_F(GoingBack, WhoWaitForOthersAreLookedAtTogetherAndNothingIsSaidAnew) {
  cluster_.put_run(bound(run("other"), "b"));
  for (int i = 0; i < 3; ++i) {
    run_.metadata.uid = run_.metadata.name = cat("r", i);
    run_.status.conditions[0].last_transition_time = wire::Timestamp{kNow + Millis(i)};
    cluster_.put_run(run_);
  }
  EXPECT_EQ(placed_at(due_ + Millis(2)), "");
  EXPECT_EQ(cluster_.explain(10).size(), 3u);
  EXPECT_EQ(placed_at(cluster_.next_due().value()), "");
  EXPECT_GE(*cluster_.next_due(), due_ + 2 * kOthersLookedAt) << "all of them were looked at";
  EXPECT_FALSE(cluster_.has_unexplained());
  EXPECT_FALSE(cluster_.others_may_differ());
}

TEST_F(GoingBack, ItIsAskedAgainIfTheOthersLackRoomForItsFiles) {
  contracts::Node small = node("b");
  small.status.allocatable_disk = wire::Quantity{1 << 30};
  cluster_.put_node(small);
  run_.status.disk_needed = wire::Quantity{int64_t{10} << 30};
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(kNow), "");
  EXPECT_EQ(placed_at(kNow + kAsksAgainAfter), "a");
}

TEST_F(GoingBack, ItWaitsForAnotherOneThatCameBackBeforeIt) {
  let_it_rest(due_ + std::chrono::minutes(5));
  cluster_.put_node(not_ready("b"));
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(due_), "");
  cluster_.put_node(node("b", 1));
  cluster_.put_run(bound(run("other"), "b"));
  EXPECT_EQ(placed_at(cluster_.next_due().value()), "");
  cluster_.put_node(node("a"));
  EXPECT_EQ(placed_at(due_ + 2 * kOthersLookedAt), "");
  EXPECT_THAT(why(), HasSubstr("; node a is asked again once no other one could take it"));
}

TEST_F(GoingBack, ItWaitsForAnotherOneThatIsBusyAsLongAsThatOneIsThere) {
  cluster_.put_run(bound(run("other"), "b"));
  cluster_.put_run(run_);
  EXPECT_EQ(placed_at(due_), "");
  EXPECT_THAT(why(), HasSubstr("; node a is asked again once no other one could take it"));
  const WallTime later = cluster_.next_due().value();
  EXPECT_GE(later, due_ + kOthersLookedAt);
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
  let_it_rest(due_ + std::chrono::minutes(1));
  cluster_.put_node(not_ready("b"));
  cluster_.put_run(run_);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(placed_at(due_), "");
    EXPECT_GT(cluster_.next_due(), due_) << "it is waited for, not asked";
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
