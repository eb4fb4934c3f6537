// Agents that leave or are killed, and the next one that takes the run over.
#include <sys/wait.h>

#include "common/wire/json.h"
#include "node-agent/executor/run_life_fixture.h"

namespace paddock::executor {
namespace {

using contracts::RunPhase;

TEST_F(Life, AnAgentThatLeavesLetsTheCommandGoOnAndTheNextOneAdoptsIt) {
  stop_while_running(StopKind::kDetach);
  adopt_and_finish();
}

TEST_F(Life, ALauncherWhoseIdentityWasNotRecordedIsFoundByItsLockAndCanBeCanceled) {
  stop_while_running(StopKind::kDetach);
  cancel_an_unknown_launcher();
}

TEST_F(Life, KilledAfterTheIntentAndBeforeTheLaunchItIsNeverStarted) {
  die_before_launch();
  const contracts::RunOutcome outcome = run();
  EXPECT_EQ(outcome.phase, RunPhase::kFailed);
  EXPECT_EQ(outcome.reason, "LAUNCHER_LOST");
  EXPECT_FALSE(outcome.result) << "nobody knows how it ended";
  EXPECT_EQ(starts(), 0u);
}

// The power is lost once the command may have been started, and the disk has less than the intent.
TEST_F(Life, WhatIsLeftOfItsFolderNeverStartsACommandAgain) {
  die_before_launch();
  ASSERT_TRUE(intents->note(cat(kUid, "-1")).ok());
  ASSERT_TRUE(folder().store(RunRecord{}).ok());
  EXPECT_EQ(run().reason, "LAUNCHER_LOST");
  EXPECT_EQ(starts(), 0u);
  ASSERT_TRUE(folder().erase().ok());
  EXPECT_EQ(RunLife::accept(ports(), assignment).error().reason, "LAUNCHER_LOST");
  EXPECT_EQ(starts(), 0u);
}

TEST_F(Life, LeavesNoIntentBehind) {
  behave("ok");
  run();
  EXPECT_TRUE(intents->noted(cat(kUid, "-1")));
  ASSERT_TRUE(life->erase().ok());
  EXPECT_FALSE(intents->noted(cat(kUid, "-1")));
}

TEST_F(Life, ALauncherThatComesLateFindsItsLockTaken) {
  die_before_launch();
  run();
  const LaunchFiles files{folder().file("events"), folder().file("launcher.log")};
  contracts::LaunchRequest request;
  request.trace_id = "late";
  request.command = {"ok", base};
  request.workdir = "/workspace";
  request.mounts = {{base, "/workspace", contracts::MountMode::kReadWrite}};
  const auto late = start_launch(nullptr, config.sandbox_program, files, request);
  ASSERT_TRUE(late.ok());
  reap_launcher(*late);
  EXPECT_EQ(starts(), 0u);
}

TEST_F(Life, AKnownOutcomeIsOnlyReportedAgain) {
  behave("ok");
  run();
  const size_t uploaded = uploads.size();
  run();
  EXPECT_EQ(last_outcome().reason, "Completed");
  EXPECT_EQ(uploads.size(), uploaded);
  EXPECT_EQ(starts(), 1u);
}

// The agent is killed at every point where it shows itself to the outside, and a new one takes
// over.
TEST_F(Life, KilledAnywhereTheCommandRunsOnceAndItsOutcomeIsTrue) {
  behave("ok");
  bool finished = false;
  int points = 0;
  for (; !finished; ++points) {
    assignment.attempt = points + 1;  // a launcher that comes late finds nothing of the next one
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      steps.seen = 0;
      steps.die_at = points;
      if (auto mine = RunLife::accept(ports(), assignment)) (*mine)->run();
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    finished = WIFEXITED(status);
    const contracts::RunOutcome outcome = run();
    // Between the intent and the launcher's lock nobody can know: said so, and never run again.
    if (outcome.reason == "LAUNCHER_LOST") {
      EXPECT_FALSE(finished);
      EXPECT_FALSE(outcome.result.has_value()) << "killed at point " << points;
      EXPECT_LE(starts(), 1u) << "killed at point " << points;
    } else {
      EXPECT_EQ(outcome.reason, "Completed") << "killed at point " << points;
      EXPECT_EQ(outcome.artifacts.size(), 1u) << "killed at point " << points;
      EXPECT_EQ(starts(), 1u) << "killed at point " << points;
      EXPECT_EQ(output_of(*life, "stdout"), "hello\n") << "killed at point " << points;
    }
    ASSERT_TRUE(life->erase().ok());
    ASSERT_TRUE(os::remove_tree(base + "/starts").ok());
  }
  EXPECT_GT(points, 8);
}

}  // namespace
}  // namespace paddock::executor
