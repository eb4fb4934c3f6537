// Silence, loss, removal and drains, from the first missed call to the next attempt.
#include "controller/reconciler/reconciler_test_support.h"

namespace paddock::reconciler {
namespace {

TEST_F(ReconcilerTest, ASilentNodeGetsNothingNewAndLaterItsRunsAreGivenUp) {
  heartbeat();
  submit("a");
  EXPECT_EQ(step().bound, 1);
  clock_.advance(nodes::kLease);
  submit("b");
  const TickReport silent = step();
  EXPECT_EQ(silent.lost, 0);
  EXPECT_EQ(silent.bound, 0);
  EXPECT_FALSE(ready());
  EXPECT_EQ(run("a").status.phase, RunPhase::kScheduled);

  clock_.advance(nodes::kLostAfter - nodes::kLease);
  EXPECT_EQ(step().lost, 1);
  EXPECT_EQ(run("a").status.reason, "NODE_LOST");
  EXPECT_EQ(run("a").status.phase, RunPhase::kFailed);
  EXPECT_FALSE(run("a").status.result);

  heartbeat();
  EXPECT_TRUE(ready());
  EXPECT_EQ(step().bound, 1) << "b waits no longer";
}

TEST_F(ReconcilerTest, AnAgentThatComesBackInTimeLosesNothing) {
  heartbeat();
  submit("a");
  step();
  clock_.advance(nodes::kLostAfter - Millis(1));
  EXPECT_EQ(step().lost, 0);
  heartbeat();
  clock_.advance(nodes::kLease - Millis(1));
  EXPECT_EQ(step().lost, 0);
  EXPECT_EQ(run("a").status.phase, RunPhase::kScheduled);
}

TEST_F(ReconcilerTest, AControllerThatWasAwayLosesNoRuns) {
  heartbeat();
  submit("a");
  step();
  clock_.advance(Millis(24 * 3'600'000));
  nodes::LeaseTable fresh(clock_.mono());
  Reconciler after(*store_, fresh);
  EXPECT_EQ(after.tick(nodes::now(clock_))->lost, 0);
}

TEST_F(ReconcilerTest, AControllerThatStoodStillGivesNothingUpAndBelievesWhatEndedMeanwhile) {
  heartbeat();
  submit("a");
  reconciler_->look(nodes::now(clock_));
  step();
  clock_.advance(Millis(25'000));
  EXPECT_EQ(reconciler_->look(nodes::now(clock_)), Millis(25'000));
  EXPECT_EQ(step().lost, 0);
  EXPECT_TRUE(ready());
  contracts::RunReport ended;
  ended.run_uid = "a";
  ended.attempt = 1;
  ended.outcome.emplace().phase = RunPhase::kSucceeded;
  heartbeat("n1", {ended});
  EXPECT_EQ(run("a").status.phase, RunPhase::kSucceeded);
}

TEST_F(ReconcilerTest, ANodeThatIsSilentAfterThatIsLostAsEver) {
  heartbeat();
  submit("a");
  reconciler_->look(nodes::now(clock_));
  step();
  clock_.advance(Millis(25'000));
  for (Millis silent{0}; silent <= nodes::kLostAfter; silent += reconciler_->look_every()) {
    reconciler_->look(nodes::now(clock_));
    EXPECT_EQ(step().lost, silent < nodes::kLostAfter ? 0 : 1) << silent.count();
    clock_.advance(reconciler_->look_every());
  }
  EXPECT_EQ(run("a").status.reason, "NODE_LOST");
}

TEST_F(ReconcilerTest, ANodeThatCouldNotBeginARunGetsNoneUntilItHasRested) {
  heartbeat();
  submit("a");
  EXPECT_EQ(step().bound, 1);
  contracts::RunReport refused;
  refused.run_uid = "a";
  refused.attempt = 1;
  refused.outcome.emplace().reason = "NODE_DISK_FULL";
  refused.outcome->message = "the disk is full";
  refused.outcome->refused = true;
  heartbeat("n1", {refused});
  const TickReport resting = step();
  EXPECT_EQ(resting.bound, 0);
  EXPECT_LE(resting.next, Millis(2'000)) << "it looks again when the rest is over";
  EXPECT_NE(run("a").status.message.find("rests"), std::string::npos) << run("a").status.message;
  heartbeat("n2");
  EXPECT_EQ(step().bound, 1);
  EXPECT_EQ(run("a").status.node_name, "n2");
  EXPECT_EQ(run("a").status.attempt, 2);
  EXPECT_EQ(run("a").status.refusals, 1);
  submit("b");
  clock_.advance(Millis(2'000));
  heartbeat();
  step();
  EXPECT_FALSE(node().status.cool_down->until);
  EXPECT_EQ(node().status.cool_down->failures, 1) << "the next one rests for longer";
}

TEST_F(ReconcilerTest, RunsOfARemovedNodeEnd) {
  heartbeat();
  submit("a");
  step();
  ASSERT_TRUE(nodes::remove(*store_, leases_, "n1").ok());
  EXPECT_EQ(step().lost, 1);
  EXPECT_NE(run("a").status.message.find("was removed"), std::string::npos);
}

TEST_F(ReconcilerTest, ALostRunThatMayBeTriedAgainIsPlacedElsewhereUnderAnotherAttempt) {
  heartbeat();
  submit("a", [](contracts::Run& run) { run.spec.retry = contracts::RetryPolicy{}; });
  EXPECT_EQ(step().bound, 1);
  clock_.advance(nodes::kLostAfter);
  EXPECT_EQ(step().lost, 1);
  EXPECT_EQ(run("a").status.phase, RunPhase::kPending);
  EXPECT_EQ(run("a").status.reason, "RETRY");
  EXPECT_EQ(node().status.reason, "NODE_LOST");

  heartbeat("n2");
  EXPECT_EQ(step().bound, 0) << "the wait is not over";
  clock_.advance(Millis(10'000));
  heartbeat("n2");
  EXPECT_EQ(step().bound, 1);
  EXPECT_EQ(run("a").status.node_name, "n2");
  EXPECT_EQ(run("a").status.attempt, 2);

  // The old node comes back and reports the attempt that it lost: nobody listens.
  contracts::RunReport late;
  late.run_uid = "a";
  late.attempt = 1;
  late.outcome.emplace().phase = RunPhase::kSucceeded;
  const auto answer = heartbeat("n1", {late});
  EXPECT_TRUE(answer.runs.empty()) << "so the agent ends it and forgets it";
  EXPECT_EQ(run("a").status.phase, RunPhase::kScheduled);
  EXPECT_EQ(node().status.reason, "");
}

TEST_F(ReconcilerTest, ADrainTellsARunToEndSoEarlyThatItHasItsGraceAndKillsItWhenThatIsOver) {
  heartbeat();
  submit("a", [](contracts::Run& run) { run.spec.termination_grace = wire::Wait{Millis(3'000)}; });
  submit("long",
         [](contracts::Run& run) { run.spec.termination_grace = wire::Wait{Millis(60'000)}; });
  EXPECT_EQ(step().bound, 2);
  ASSERT_TRUE(nodes::drain(*store_, "n1", Millis(5'000), clock_.wall()).ok());
  const TickReport first = step();
  EXPECT_EQ(first.evicted, 1) << "one needs all of the drain's grace, and more";
  EXPECT_EQ(first.next_drain, Millis(2'000));
  EXPECT_FALSE(run("a").status.eviction);
  clock_.advance(Millis(2'000));
  EXPECT_EQ(step().evicted, 1);
  clock_.advance(Millis(4'999));
  EXPECT_EQ(step().evicted, 0);
  EXPECT_FALSE(run("a").status.kill_now);
  EXPECT_FALSE(heartbeat().runs.at(0).kill_now);
  clock_.advance(Millis(1));
  step();
  EXPECT_TRUE(run("a").status.kill_now);
  EXPECT_TRUE(run("long").status.kill_now);
  EXPECT_TRUE(heartbeat().runs.at(0).kill_now);
  EXPECT_EQ(step().next_drain, std::chrono::hours(1));
}

TEST_F(ReconcilerTest, AControllerThatWasAwayWhenADrainWasOverStillTellsBeforeItKills) {
  heartbeat();
  submit("a", [](contracts::Run& run) { run.spec.termination_grace = wire::Wait{Millis(3'000)}; });
  step();
  ASSERT_TRUE(nodes::drain(*store_, "n1", Millis(5'000), clock_.wall()).ok());
  clock_.advance(Millis(15'000));
  heartbeat();
  EXPECT_EQ(step().next_drain, Millis(2'000));
  EXPECT_TRUE(run("a").status.eviction);
  clock_.advance(Millis(1'999));
  step();
  EXPECT_FALSE(run("a").status.kill_now);
  clock_.advance(Millis(1));
  step();
  EXPECT_TRUE(run("a").status.kill_now);
}

TEST_F(ReconcilerTest, ADrainLetsRunsGoOnForItsGraceThenEndsThem) {
  heartbeat();
  submit("a");
  submit("b", [](contracts::Run& run) { run.spec.retry = contracts::RetryPolicy{}; });
  EXPECT_EQ(step().bound, 2);
  ASSERT_TRUE(nodes::drain(*store_, "n1", Millis(5'000), clock_.wall()).ok());
  submit("late");
  EXPECT_EQ(step().evicted, 0);
  EXPECT_EQ(run("late").status.phase, RunPhase::kPending);
  EXPECT_NE(run("late").status.message.find("cordoned"), std::string::npos);
  auto report = nodes::drain_report(*store_, "n1").value();
  ASSERT_EQ(report.waiting_for.size(), 2u);
  EXPECT_EQ(report.waiting_for[0].then, "ended");
  EXPECT_EQ(report.waiting_for[1].then, "retried");
  EXPECT_FALSE(report.drained);

  clock_.advance(Millis(5'000));
  EXPECT_EQ(step().evicted, 2);
  contracts::RunReport ended;
  ended.attempt = 1;
  ended.outcome.emplace().phase = RunPhase::kCanceled;
  contracts::RunReport a = ended;
  a.run_uid = "a";
  contracts::RunReport b = ended;
  b.run_uid = "b";
  heartbeat("n1", {a, b});
  EXPECT_EQ(run("a").status.reason, "NODE_DRAINED");
  EXPECT_EQ(run("a").status.phase, RunPhase::kFailed);
  EXPECT_EQ(run("b").status.phase, RunPhase::kPending);
  EXPECT_TRUE(nodes::drain_report(*store_, "n1")->drained);
  clock_.advance(Millis(10'000));
  heartbeat();
  EXPECT_EQ(step().bound, 0) << "a drained node gets nothing";
  ASSERT_TRUE(nodes::set_unschedulable(*store_, "n1", false).ok());
  EXPECT_EQ(step().bound, 2);
}

}  // namespace
}  // namespace paddock::reconciler
