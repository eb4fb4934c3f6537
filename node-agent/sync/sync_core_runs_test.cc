// Which runs the agent starts, ends and forgets.
#include "node-agent/sync/sync_core_fixture.h"

namespace paddock::sync {
namespace {

using contracts::DesiredState;
using contracts::RunPhase;
using contracts::SyncAnswer;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(Core, StartsAnAssignmentOnceHoweverOftenItIsRepeated) {
  EXPECT_THAT(texts(exchange({assignment("a")})), ElementsAre("start a/1"));
  EXPECT_THAT(exchange({assignment("a")}), IsEmpty());
  EXPECT_THAT(exchange({assignment("a"), assignment("a")}), IsEmpty());
}

TEST_F(Core, TwoAssignmentsOfOneRunInOneAnswerMeanTheNewerAttempt) {
  EXPECT_THAT(texts(exchange({assignment("a", 2), assignment("a", 1)})), ElementsAre("start a/2"));
}

TEST_F(Core, ANewerAttemptEndsTheOlderOne) {
  exchange({assignment("a", 1)});
  EXPECT_THAT(texts(exchange({assignment("a", 2)})), ElementsAre("forget a/1", "start a/2"));
  observe("a", RunPhase::kRunning, 5, false, 1);  // late news of the fenced attempt
  EXPECT_THAT(core.held(), ElementsAre(RunKey{"a", 2}));
}

TEST_F(Core, AnOlderAttemptThanTheOneHeldIsIgnored) {
  exchange({assignment("a", 2)});
  EXPECT_THAT(exchange({assignment("a", 1)}), IsEmpty());
  EXPECT_THAT(core.held(), ElementsAre(RunKey{"a", 2}));
}

TEST_F(Core, ARunThatNoAssignmentNamesIsEndedAndForgotten) {
  exchange({assignment("a"), assignment("b")});
  EXPECT_THAT(texts(exchange({assignment("b")})), ElementsAre("forget a/1"));
}

TEST_F(Core, ACancelBeforeTheStartBecomesAStartThatMustNotRun) {
  const auto actions = exchange({cancel("a")});
  ASSERT_THAT(texts(actions), ElementsAre("start a/1"));
  EXPECT_EQ(std::get<StartRun>(actions[0]).assignment.desired, DesiredState::kCancel);
  EXPECT_THAT(exchange({cancel("a")}), IsEmpty());
}

TEST_F(Core, ACancelIsPassedOnOnceAndNotAfterTheEnd) {
  exchange({assignment("a"), assignment("b")});
  EXPECT_THAT(texts(exchange({cancel("a"), assignment("b")})), ElementsAre("cancel a/1"));
  EXPECT_THAT(exchange({cancel("a"), assignment("b")}), IsEmpty());
  observe("b", RunPhase::kRunning, 0, true);
  EXPECT_THAT(exchange({cancel("a"), cancel("b")}), IsEmpty());
}

TEST_F(Core, AKillFollowsACancelOnceAndNeedsNone) {
  Assignment kill_a = cancel("a");
  Assignment kill_b = cancel("b");
  kill_a.kill_now = kill_b.kill_now = true;
  exchange({assignment("a"), assignment("b")});
  EXPECT_THAT(texts(exchange({cancel("a"), assignment("b")})), ElementsAre("cancel a/1"));
  EXPECT_THAT(texts(exchange({kill_a, kill_b})), ElementsAre("kill a/1", "kill b/1"));
  EXPECT_THAT(exchange({kill_a, kill_b}), IsEmpty());
  EXPECT_THAT(exchange({cancel("a"), cancel("b")}), IsEmpty()) << "an older wish";
}

TEST_F(Core, ARunFoundOnDiskIsKeptIfAssignedAndNotStartedAgain) {
  observe("a", RunPhase::kRunning, 4);
  observe("z", RunPhase::kRunning, 4);
  const Call first = report();
  EXPECT_THAT(first.request.runs, SizeIs(2));
  EXPECT_THAT(first.request.runs[0].output, IsEmpty()) << "what is stored is not known yet";
  EXPECT_THAT(texts(answer(first, says({assignment("a", 1, 2)}))), ElementsAre("forget z/1"));
  EXPECT_EQ(report().request.runs[0].output[0].seq, 3);
}

TEST_F(Core, AnAnswerThatWasOvertakenStartsAndEndsNothing) {
  exchange({});
  const Call held_call = hold();
  EXPECT_THAT(texts(exchange({assignment("a")})), ElementsAre("start a/1"));
  EXPECT_THAT(answer(held_call, says({})), IsEmpty()) << "older than the assignment of a";
  EXPECT_THAT(core.held(), ElementsAre(RunKey{"a", 1}));
}

TEST_F(Core, AnOvertakenAnswerCannotBringAForgottenRunBack) {
  exchange({assignment("a")});
  const Call held_call = hold();
  observe("a", RunPhase::kRunning, 0, true);
  exchange({});
  EXPECT_THAT(answer(held_call, says({assignment("a")})), IsEmpty());
  EXPECT_THAT(core.held(), IsEmpty());
}

TEST_F(Core, AnOvertakenAnswerLeavesTheKnownVersionSoThatTheNextOneIsWhole) {
  exchange({});
  const Call held_call = hold();
  const SyncAnswer newer = says({assignment("a")});
  answer(report(), newer);
  answer(held_call, says({}));
  EXPECT_EQ(hold().request.known_version, newer.version);
}

TEST_F(Core, ADroppedAttemptThatIsAskedForAgainFailsInsteadOfRunningTwice) {
  exchange({assignment("a")});
  exchange({});
  EXPECT_THAT(exchange({assignment("a")}), IsEmpty());
  const Call call = report();
  ASSERT_TRUE(call.request.runs[0].outcome.has_value());
  EXPECT_EQ(call.request.runs[0].outcome->reason, "ATTEMPT_REPEATED");
}

}  // namespace
}  // namespace paddock::sync
