// When a run is tried again, and when it must not be.
#include "controller/runs/retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/runs/kept_off.h"
#include "controller/runs/transitions.h"

namespace paddock::runs {
namespace {

using contracts::RetryCause;
using contracts::RunPhase;

constexpr WallTime kTried{1'750'000'000'000};

contracts::Run placed(std::optional<contracts::RetryPolicy> retry = contracts::RetryPolicy{}) {
  contracts::Run run;
  run.metadata.name = run.metadata.uid = "r";
  run.spec.retry = std::move(retry);
  admit(run, kTried);
  static_cast<void>(bind(run, "n1", kTried).value());
  return run;
}

contracts::RunOutcome outcome(RunPhase phase, const std::string& reason) {
  contracts::RunOutcome out;
  out.phase = phase;
  out.reason = reason;
  out.message = reason;
  return out;
}

void see(contracts::Run& run, RunPhase phase) {
  contracts::RunReport report;
  report.attempt = run.status.attempt;
  report.phase = phase;
  if (phase == RunPhase::kRunning) report.started_at = wire::Timestamp{kTried};
  ASSERT_TRUE(observe(run, report, kTried).ok());
}

TEST(Retry, ALostNodesRunWaitsForItsNextAttemptAndTheOldOneIsFenced) {
  contracts::Run run = placed();
  see(run, RunPhase::kRunning);
  ASSERT_EQ(lose_node(run, "node n1 was lost", kTried).size(), 1u);
  EXPECT_EQ(run.status.phase, RunPhase::kPending);
  EXPECT_EQ(run.status.reason, "RETRY");
  EXPECT_THAT(run.status.message,
              testing::AllOf(testing::HasSubstr("1 of 3"), testing::HasSubstr("node n1 was lost"),
                             testing::HasSubstr("10s")));
  EXPECT_EQ(run.status.node_name, "");
  EXPECT_FALSE(run.status.started_at);
  EXPECT_EQ(run.status.retry_at->value, kTried + Millis(10'000));

  contracts::RunReport late;
  late.attempt = 1;
  late.phase = RunPhase::kRunning;
  EXPECT_EQ(observe(run, late, kTried).error().reason, "STALE_ATTEMPT");
  ASSERT_TRUE(bind(run, "n2", kTried + Millis(10'000)).ok());
  EXPECT_EQ(run.status.attempt, 2);
  EXPECT_FALSE(run.status.retry_at);
  EXPECT_EQ(finish(run, 1, outcome(RunPhase::kSucceeded, "Completed"), kTried).error().reason,
            "STALE_ATTEMPT");
  EXPECT_TRUE(finish(run, 2, outcome(RunPhase::kSucceeded, "Completed"), kTried).ok());
}

contracts::RunOutcome refusal() {
  contracts::RunOutcome out = outcome(RunPhase::kFailed, "NODE_DISK_FULL");
  out.refused = true;
  return out;
}

TEST(Refusal, RemembersWhatTheFilesOfTheRunNeed) {
  contracts::Run run = placed(std::nullopt);
  contracts::RunOutcome said = refusal();
  said.disk_needed = wire::Quantity{1 << 30};
  ASSERT_TRUE(finish(run, 1, said, kTried).ok());
  EXPECT_EQ(run.status.phase, RunPhase::kPending);
  EXPECT_EQ(run.status.disk_needed->bytes, 1 << 30);
}

TEST(Refusal, PlacesTheRunElsewhereWithoutAPolicyAndUsesNoAttemptUp) {
  contracts::Run run = placed(std::nullopt);
  ASSERT_EQ(finish(run, 1, refusal(), kTried)->size(), 1u);
  EXPECT_EQ(run.status.phase, RunPhase::kPending);
  EXPECT_EQ(run.status.reason, "REFUSED");
  EXPECT_THAT(run.status.message,
              testing::AllOf(testing::HasSubstr("n1"), testing::HasSubstr("NODE_DISK_FULL"),
                             testing::HasSubstr("spec.retry")));
  EXPECT_EQ(run.status.node_name, "");
  EXPECT_FALSE(run.status.retry_at) << "at once";
  ASSERT_TRUE(bind(run, "n2", kTried).ok());
  EXPECT_EQ(run.status.attempt, 2) << "the fence grows all the same";
  EXPECT_EQ(counted_attempts(run), 1);
  EXPECT_EQ(finish(run, 1, outcome(RunPhase::kSucceeded, "Completed"), kTried).error().reason,
            "STALE_ATTEMPT");
}

TEST(Refusal, LeavesAPolicyAllItsAttempts) {
  contracts::Run run = placed(contracts::RetryPolicy{.max_attempts = 2});
  static_cast<void>(finish(run, 1, refusal(), kTried).value());
  static_cast<void>(bind(run, "n2", kTried).value());
  static_cast<void>(lose_node(run, "gone", kTried));
  EXPECT_EQ(run.status.phase, RunPhase::kPending) << "the first attempt that counts";
  EXPECT_THAT(run.status.message, testing::HasSubstr("1 of 2"));
  static_cast<void>(bind(run, "n3", kTried).value());
  static_cast<void>(lose_node(run, "gone", kTried));
  EXPECT_EQ(run.status.phase, RunPhase::kFailed);
}

TEST(Refusal, ARunThatNobodyCanBeginEndsWithWhatTheLastNodeSaid) {
  contracts::Run run = placed(std::nullopt);
  while (run.status.phase != RunPhase::kFailed) {
    ASSERT_LT(run.status.attempt, 20);
    static_cast<void>(finish(run, run.status.attempt, refusal(), kTried).value());
    if (run.status.phase == RunPhase::kPending) static_cast<void>(bind(run, "n", kTried).value());
  }
  EXPECT_EQ(run.status.attempt, 11);
  EXPECT_EQ(run.status.reason, "NODE_DISK_FULL");
}

TEST(Refusal, ARunThatComesBackToTheNodeThatDidNotBeginItWaitsForDays) {
  contracts::Run run = placed(std::nullopt);
  keep_off(run, "n1");
  run.status.refusals = 999;
  static_cast<void>(finish(run, 1, refusal(), kTried).value());
  EXPECT_EQ(run.status.phase, RunPhase::kPending);
  static_cast<void>(bind(run, "n1", kTried).value());
  static_cast<void>(finish(run, 2, refusal(), kTried).value());
  EXPECT_EQ(run.status.phase, RunPhase::kFailed);
}

TEST(Refusal, IsNoneOfARunThatWasBegunOrIsToEnd) {
  contracts::Run begun = placed(std::nullopt);
  see(begun, RunPhase::kRunning);
  static_cast<void>(finish(begun, 1, refusal(), kTried).value());
  EXPECT_EQ(begun.status.phase, RunPhase::kFailed);
  contracts::Run canceled = placed(std::nullopt);
  static_cast<void>(request_cancel(canceled, kTried));
  static_cast<void>(finish(canceled, 1, refusal(), kTried).value());
  EXPECT_EQ(canceled.status.phase, RunPhase::kCanceled);
}

TEST(Refusal, ANodeThatLeavesGivesBackWhatItHasNotBegun) {
  contracts::Run run = placed(std::nullopt);
  ASSERT_EQ(release(run, "its agent was stopped", kTried).size(), 1u);
  EXPECT_EQ(run.status.phase, RunPhase::kPending);
  EXPECT_EQ(run.status.refusals, 1);
  contracts::Run begun = placed(std::nullopt);
  see(begun, RunPhase::kPreparing);
  EXPECT_TRUE(release(begun, "its agent was stopped", kTried).empty());
}

// Nobody is there to read an answer, and the next attempt asks anew.
TEST(Retry, WhatAnAttemptAskedForIsOverWithIt) {
  contracts::Run run = placed();
  run.status.pending_tool_uses = {{.id = "t1"}};
  run.status.stdin_closed = true;
  lose_node(run, "node n1 was lost", kTried);
  EXPECT_TRUE(run.status.pending_tool_uses.empty());
  EXPECT_FALSE(run.status.stdin_closed);
}

TEST(Retry, AnotherAttemptMayGoWhereTheLastOneWasKeptOff) {
  contracts::Run run = placed();
  keep_off(run, "n1");
  EXPECT_EQ(kept_off(run), "n1");
  lose_node(run, "node n2 was lost", kTried);
  EXPECT_EQ(kept_off(run), "");
  run.metadata.annotations[kRefusedByAnnotation] = std::string(254, 'n');
  EXPECT_EQ(kept_off(run), "") << "no node has such a name";
}

TEST(Retry, WithoutAPolicyALostRunEnds) {
  contracts::Run run = placed(std::nullopt);
  ASSERT_FALSE(lose_node(run, "gone", kTried).empty());
  EXPECT_EQ(run.status.phase, RunPhase::kFailed);
  EXPECT_EQ(run.status.reason, "NODE_LOST");
}

TEST(Retry, OnlyTheCausesThatAreNamedAreFollowedByAnother) {
  contracts::RetryPolicy policy;
  policy.on = {RetryCause::kStartFailed};
  contracts::Run lost = placed(policy);
  static_cast<void>(lose_node(lost, "gone", kTried));
  EXPECT_EQ(lost.status.reason, "NODE_LOST");
  contracts::Run unstarted = placed(policy);
  ASSERT_TRUE(finish(unstarted, 1, outcome(RunPhase::kFailed, "TREE_MISMATCH"), kTried).ok());
  EXPECT_EQ(unstarted.status.reason, "RETRY");
}

TEST(Retry, ACommandThatRanIsNeverRunAgainForItsOwnFailure) {
  for (const char* reason : {"NonZeroExit", "MemoryLimit", "LAUNCHER_LOST", "ATTEMPT_REPEATED"}) {
    contracts::Run run = placed();
    see(run, RunPhase::kRunning);
    ASSERT_TRUE(finish(run, 1, outcome(RunPhase::kFailed, reason), kTried).ok());
    EXPECT_EQ(run.status.phase, RunPhase::kFailed) << reason;
    EXPECT_EQ(run.status.reason, reason);
  }
  // Nobody knows whether it ran: not again either.
  contracts::Run unknown = placed();
  ASSERT_TRUE(finish(unknown, 1, outcome(RunPhase::kFailed, "LAUNCHER_LOST"), kTried).ok());
  EXPECT_EQ(unknown.status.phase, RunPhase::kFailed);
  contracts::Run by_its_disk = placed();
  ASSERT_TRUE(finish(by_its_disk, 1, outcome(RunPhase::kFailed, "NODE_DISK_FULL"), kTried).ok());
  EXPECT_EQ(by_its_disk.status.phase, RunPhase::kFailed) << "nobody said that it was not begun";
  contracts::Run with_result = placed();
  contracts::RunOutcome failed = outcome(RunPhase::kFailed, "NonZeroExit");
  failed.result.emplace().status = contracts::SandboxStatus::kFailed;
  ASSERT_TRUE(finish(with_result, 1, failed, kTried).ok());
  EXPECT_EQ(with_result.status.phase, RunPhase::kFailed);
}

TEST(Retry, EndsWhenTheAttemptsAreUsedUp) {
  contracts::Run run = placed();
  for (int64_t attempt = 1; attempt < 3; ++attempt) {
    static_cast<void>(lose_node(run, "gone", kTried));
    ASSERT_EQ(run.status.phase, RunPhase::kPending);
    ASSERT_TRUE(bind(run, "n", kTried).ok());
  }
  static_cast<void>(lose_node(run, "gone", kTried));
  EXPECT_EQ(run.status.phase, RunPhase::kFailed);
  EXPECT_EQ(run.status.attempt, 3);
}

TEST(Retry, ACancelledRunIsNotTriedAgain) {
  contracts::Run run = placed();
  static_cast<void>(request_cancel(run, kTried));
  static_cast<void>(lose_node(run, "gone", kTried));
  EXPECT_EQ(run.status.reason, "NODE_LOST");
}

TEST(Retry, TheWaitDoublesUpToItsLimit) {
  const contracts::RetryPolicy policy;
  EXPECT_EQ(retry_delay(policy, 1), Millis(10'000));
  EXPECT_EQ(retry_delay(policy, 2), Millis(20'000));
  EXPECT_EQ(retry_delay(policy, 4), Millis(80'000));
  EXPECT_EQ(retry_delay(policy, 100), Millis(600'000));
}

TEST(Eviction, AnEvictedRunEndsForOurReasonOrIsPlacedAgain) {
  contracts::Run kept = placed();
  see(kept, RunPhase::kRunning);
  EXPECT_EQ(evict(kept, {kNodeDrained, "node n1 is being drained"}, kTried).size(), 1u);
  EXPECT_TRUE(evict(kept, {kPreempted, "again"}, kTried).empty()) << "the first reason stays";
  ASSERT_TRUE(finish(kept, 1, outcome(RunPhase::kCanceled, "Canceled"), kTried).ok());
  EXPECT_EQ(kept.status.phase, RunPhase::kPending);
  EXPECT_FALSE(kept.status.eviction);

  contracts::Run ended = placed(std::nullopt);
  static_cast<void>(evict(ended, {kNodeDrained, "node n1 is being drained"}, kTried));
  ASSERT_TRUE(finish(ended, 1, outcome(RunPhase::kCanceled, "Canceled"), kTried).ok());
  EXPECT_EQ(ended.status.phase, RunPhase::kFailed);
  EXPECT_EQ(ended.status.reason, "NODE_DRAINED");
  EXPECT_EQ(ended.status.message, "node n1 is being drained");
}

// When an evicted run is placed again, the results of the evicted attempt stay until another
// attempt has ended.
TEST(Eviction, WhatTheAttemptHadWrittenStaysUntilAnotherOneEnds) {
  contracts::Run run = placed();
  see(run, RunPhase::kRunning);
  static_cast<void>(evict(run, {kPreempted, "preempted"}, kTried));
  contracts::RunOutcome first = outcome(RunPhase::kCanceled, "Canceled");
  first.result.emplace();
  first.artifacts = {{"out/checkpoint", 1, std::string(64, 'a'), false}};
  ASSERT_TRUE(finish(run, 1, first, kTried).ok());
  EXPECT_EQ(run.status.phase, RunPhase::kPending);
  EXPECT_EQ(run.status.artifacts.size(), 1u);

  contracts::Run never = run;
  static_cast<void>(bind(never, "n2", kTried).value());
  ASSERT_TRUE(finish(never, 2, outcome(RunPhase::kCanceled, "Canceled"), kTried).ok());
  EXPECT_EQ(never.status.artifacts.size(), 1u) << "its command never started";

  static_cast<void>(bind(run, "n2", kTried).value());
  contracts::RunOutcome second = outcome(RunPhase::kSucceeded, "Completed");
  second.result.emplace();
  ASSERT_TRUE(finish(run, 2, second, kTried).ok());
  EXPECT_TRUE(run.status.artifacts.empty());
}

// A checkpoint that came while the run lived is better than none.
TEST(Artifacts, WhatTheNodesDiskDoesNotGiveAnyMoreStaysAsItCameBefore) {
  contracts::Run run = placed();
  see(run, RunPhase::kRunning);
  run.status.artifacts = {{"out/checkpoint", 1, std::string(64, 'a'), false},
                          {"out/gone", 1, std::string(64, 'b'), false}};
  contracts::RunOutcome end = outcome(RunPhase::kFailed, "NODE_DISK_FAILS");
  end.result.emplace();
  end.artifacts = {{"out/well", 1, std::string(64, 'c'), false}};
  end.left_out = {{"out/checkpoint", "the node's disk failed while it was read"}};
  ASSERT_TRUE(finish(run, 1, end, kTried).ok());
  ASSERT_EQ(run.status.artifacts.size(), 2u);
  EXPECT_EQ(run.status.artifacts[0].path, "out/well");
  EXPECT_EQ(run.status.artifacts[1].path, "out/checkpoint");
  ASSERT_EQ(run.status.left_out.size(), 1u);
  EXPECT_NE(run.status.left_out[0].rule.find("is kept"), std::string::npos);
}

TEST(Eviction, OnlyARunThatIsBeingEndedIsKilledAndOnce) {
  contracts::Run run = placed();
  EXPECT_TRUE(kill_now(run, kTried).empty());
  static_cast<void>(request_cancel(run, kTried));
  EXPECT_EQ(kill_now(run, kTried).size(), 1u);
  EXPECT_TRUE(kill_now(run, kTried).empty());
  EXPECT_TRUE(run.status.kill_now);
  ASSERT_TRUE(finish(run, 1, outcome(RunPhase::kCanceled, "Canceled"), kTried).ok());
  EXPECT_TRUE(kill_now(run, kTried).empty());

  contracts::Run again = placed();
  static_cast<void>(evict(again, {kNodeDrained, "drained"}, kTried));
  EXPECT_EQ(again.status.eviction->at->value, kTried);
  EXPECT_EQ(kill_now(again, kTried).size(), 1u);
  ASSERT_TRUE(finish(again, 1, outcome(RunPhase::kCanceled, "Canceled"), kTried).ok());
  EXPECT_EQ(again.status.phase, RunPhase::kPending);
  EXPECT_FALSE(again.status.kill_now) << "the next attempt is another matter";
}

TEST(Eviction, ARunThatEndedByItselfFirstKeepsItsOwnEnd) {
  contracts::Run run = placed();
  see(run, RunPhase::kRunning);
  static_cast<void>(evict(run, {kNodeDrained, "drained"}, kTried));
  ASSERT_TRUE(finish(run, 1, outcome(RunPhase::kSucceeded, "Completed"), kTried).ok());
  EXPECT_EQ(run.status.phase, RunPhase::kSucceeded);
}

TEST(Deadline, EndsARunThatWaitsAndSaysWhatItWaitedFor) {
  contracts::Run run;
  run.spec.deadline = wire::Duration{Millis(60'000)};
  admit(run, kTried);
  EXPECT_EQ(run.status.deadline_at->value, kTried + Millis(60'000));
  static_cast<void>(explain_pending(run, kUnschedulable, "0/0 nodes fit", kTried));
  ASSERT_EQ(expire(run, kTried + Millis(60'000)).size(), 2u);
  EXPECT_EQ(run.status.phase, RunPhase::kFailed);
  EXPECT_EQ(run.status.reason, "DEADLINE_EXCEEDED");
  EXPECT_THAT(run.status.message,
              testing::AllOf(testing::HasSubstr("1m"), testing::HasSubstr("0/0 nodes fit")));
}

TEST(Deadline, OfAGrantIsNamedAsSuch) {
  contracts::Run run;
  run.spec.deadline = wire::Duration{Millis(60'000)};
  run.status.deadline_at = wire::Timestamp{kTried + Millis(5'000)};
  admit(run, kTried);
  ASSERT_EQ(expire(run, kTried + Millis(5'000)).size(), 2u);
  EXPECT_THAT(run.status.message,
              testing::AllOf(testing::HasSubstr(format_time(kTried + Millis(5'000))),
                             testing::HasSubstr("grant")));
}

TEST(Deadline, EndsAPlacedRunForGood) {
  contracts::Run run = placed();
  run.spec.deadline = wire::Duration{Millis(60'000)};
  ASSERT_EQ(expire(run, kTried).size(), 1u);
  EXPECT_EQ(run.status.phase, RunPhase::kScheduled);
  ASSERT_TRUE(finish(run, 1, outcome(RunPhase::kCanceled, "Canceled"), kTried).ok());
  EXPECT_EQ(run.status.phase, RunPhase::kFailed);
  EXPECT_EQ(run.status.reason, "DEADLINE_EXCEEDED");
}

}  // namespace
}  // namespace paddock::runs
