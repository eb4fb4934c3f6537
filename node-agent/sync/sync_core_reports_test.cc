// What the agent tells the controller, and when it has told enough.
#include "node-agent/sync/sync_core_fixture.h"

namespace paddock::sync {
namespace {

using contracts::RunPhase;
using contracts::RunReport;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(Core, TellsItsStatusUntilACallWithItWasAnswered) {
  EXPECT_TRUE(core.has_news());
  const Call lost = report();
  EXPECT_TRUE(lost.request.status.has_value());
  core.failed(lost, Error{Code::kUnavailable, "CONNECTION_BROKEN", "gone"}, clock.mono(), random);
  EXPECT_TRUE(core.has_news());
  const Call second = report();
  EXPECT_TRUE(second.request.status.has_value());
  answer(second, says({}));
  EXPECT_FALSE(core.has_news());
  EXPECT_FALSE(report().request.status.has_value());
}

TEST_F(Core, AChangedStatusIsNewsAndTheSameOneIsNot) {
  exchange({});
  core.set_status({});
  EXPECT_FALSE(core.has_news());
  core.set_status({.message = "low on disk"});
  EXPECT_TRUE(core.has_news());
}

TEST_F(Core, AStatusChangedWhileACallWasOnItsWayIsToldAgain) {
  const Call call = report();
  core.set_status({.message = "newer"});
  answer(call, says({}));
  EXPECT_EQ(report().request.status->message, "newer");
}

TEST_F(Core, ALostAnswerIsMadeUpForByTheNextOne) {
  const Call lost = report();
  core.failed(lost, Error{Code::kUnavailable, "CONNECTION_BROKEN", "gone"}, clock.mono(), random);
  EXPECT_THAT(texts(exchange({assignment("a")})), ElementsAre("start a/1"));
  observe("a", RunPhase::kRunning, 3);
  const Call told = report();
  EXPECT_THAT(told.request.runs[0].output, SizeIs(3));
  core.failed(told, Error{Code::kUnavailable, "CONNECTION_BROKEN", "gone"}, clock.mono(), random);
  EXPECT_THAT(report().request.runs[0].output, SizeIs(3)) << "sent again from the same place";
}

TEST_F(Core, OutputIsSentFromBehindWhatIsAcknowledgedWithoutAGap) {
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 5);
  EXPECT_TRUE(core.has_news());
  exchange({assignment("a", 1, 3)});
  const Call next = report();
  ASSERT_THAT(next.request.runs[0].output, SizeIs(2));
  EXPECT_EQ(next.request.runs[0].output[0].seq, 4);
  answer(next, says({assignment("a", 1, 5)}));
  EXPECT_FALSE(core.has_news());
}

TEST_F(Core, ACallCarriesABoundedAmountOfOutputAndServesRunsInTurn) {
  output.chunk_bytes = 64 << 10;
  exchange({assignment("a"), assignment("b")});
  observe("a", RunPhase::kRunning, 100);
  observe("b", RunPhase::kRunning, 100);
  const Call first = report();
  EXPECT_THAT(first.request.runs[0].output, SizeIs(8));
  EXPECT_THAT(first.request.runs[1].output, IsEmpty());
  answer(first, says({assignment("a", 1, 8), assignment("b")}));
  const Call second = report();
  EXPECT_THAT(second.request.runs[0].output, IsEmpty());
  EXPECT_THAT(second.request.runs[1].output, SizeIs(8));
}

TEST_F(Core, AnOutcomeTravelsOnlyWithOrAfterTheLastOutput) {
  output.chunk_bytes = 64 << 10;
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 10, true);
  const Call first = report();
  EXPECT_FALSE(first.request.runs[0].outcome.has_value());
  answer(first, says({assignment("a", 1, 8)}));
  const Call second = report();
  EXPECT_THAT(second.request.runs[0].output, SizeIs(2));
  EXPECT_TRUE(second.request.runs[0].outcome.has_value());
}

TEST_F(Core, AnAcknowledgedOutcomeIsForgotten) {
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 1, true);
  EXPECT_TRUE(report().request.runs[0].outcome.has_value());
  EXPECT_THAT(texts(exchange({})), ElementsAre("forget a/1"));
  EXPECT_THAT(core.held(), IsEmpty());
  EXPECT_FALSE(core.has_news());
}

TEST_F(Core, AcknowledgementsOfAnOvertakenAnswerStillCount) {
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 3);
  const Call reported = report();
  answer(hold(), says({assignment("a")}));
  answer(reported, says({assignment("a", 1, 3)}));
  EXPECT_FALSE(core.has_news());
}

TEST_F(Core, AControllerThatLostOutputGetsItAgain) {
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 5);
  exchange({assignment("a", 1, 5)});
  exchange({assignment("a", 1, 2)});
  EXPECT_EQ(report().request.runs[0].output[0].seq, 3);
}

TEST_F(Core, AnAcknowledgementBeyondWhatExistsIsNotBelieved) {
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 2);
  exchange({assignment("a", 1, 900)});
  observe("a", RunPhase::kRunning, 4);
  EXPECT_EQ(report().request.runs[0].output[0].seq, 3);
}

TEST_F(Core, PhasesOnlyAdvance) {
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 0);
  observe("a", RunPhase::kPreparing, 0);
  EXPECT_EQ(report().request.runs[0].phase, RunPhase::kRunning);
}

TEST_F(Core, ANewPhaseIsNewsUntilItWasTold) {
  exchange({assignment("a")});
  EXPECT_FALSE(core.has_news());
  observe("a", RunPhase::kPreparing, 0);
  EXPECT_TRUE(core.has_news());
  exchange({assignment("a")});
  EXPECT_FALSE(core.has_news());
}

TEST_F(Core, ATooLargeCallIsFollowedByASmallerOne) {
  output.chunk_bytes = 64 << 10;
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 100);
  const Call call = report();
  EXPECT_THAT(call.request.runs[0].output, SizeIs(8));
  core.failed(call, Error{Code::kTooLarge, "BODY_TOO_LARGE", ""}, clock.mono(), random);
  EXPECT_THAT(report().request.runs[0].output, SizeIs(4));
}

constexpr size_t kControllerTakes = size_t{8} << 20;  // of the body of a call

// Everything that a program can make long: 1,000 links below three folders, denials and output of
// bytes that take six or seven in JSON.
contracts::RunOutcome outcome_of_control_characters() {
  contracts::RunOutcome out{.phase = RunPhase::kFailed, .reason = "NonZeroExit", .message = "why"};
  for (int i = 0; i < 1'000; ++i)
    out.left_out.push_back({cat(i, std::string(1'030, '\x01')), "a link", "LINK_NOT_FOLLOWED"});
  out.left_out.push_back({"…", "and 7 more that are not listed", "MORE_LEFT_OUT"});
  contracts::SandboxResult& result = out.result.emplace();
  result.rc = 7;
  result.code = "E_CAPABILITY_DENIED";
  for (int i = 0; i < 256; ++i) {
    contracts::Denial& denial = result.denials.emplace_back();
    denial.what = "execute";
    denial.target = cat(i, std::string(6'000, '\x01'));
  }
  result.out = result.err = std::string(64 << 10, '\x01');
  return out;
}

TEST_F(Core, AnOutcomeThatNoCallCouldCarryIsSentCutAndOthersFollow) {
  exchange({assignment("a"), assignment("b")});
  RunReport large{.run_uid = "a", .attempt = 1, .phase = RunPhase::kRunning};
  large.outcome = outcome_of_control_characters();
  ASSERT_GT(wire::encode_json(*large.outcome).size(), kControllerTakes);
  core.observe(large, 0);
  observe("b", RunPhase::kRunning, 0, true);
  const Call first = report();
  EXPECT_LT(wire::encode_json(first.request).size(), kControllerTakes - (1 << 20));
  const auto& sent = first.request.runs[0].outcome;
  ASSERT_TRUE(sent && sent->result);
  EXPECT_EQ(sent->result->rc, 7);
  EXPECT_EQ(sent->result->code, "E_CAPABILITY_DENIED");
  answer(first, says({assignment("b")}));
  EXPECT_TRUE(report().request.runs[0].outcome.has_value());
}

// Somebody between the two may take less.
TEST_F(Core, AnOutcomeThatIsRefusedIsSentSmaller) {
  exchange({assignment("a")});
  RunReport large{.run_uid = "a", .attempt = 1, .phase = RunPhase::kRunning};
  large.outcome = outcome_of_control_characters();
  core.observe(large, 0);
  Call call = report();
  for (int refused = 0; refused < 5; ++refused) {
    core.failed(call, Error{Code::kTooLarge, "BODY_TOO_LARGE", ""}, clock.mono(), random);
    call = report();
  }
  EXPECT_LT(wire::encode_json(call.request).size(), 300'000u);
  EXPECT_EQ(call.request.runs[0].outcome->result->rc, 7);
  EXPECT_EQ(core.wanted_output().max_bytes, CallLimits().output_bytes) << "there was none";
}

// A run chooses how much was refused to it, and with which names.
TEST_F(Core, LargeOutcomesAreSpreadOverCalls) {
  contracts::RunOutcome wordy{.phase = RunPhase::kSucceeded};
  wordy.message = std::string(3 << 20, 'm');
  contracts::RunOutcome refused{.phase = RunPhase::kFailed};
  refused.result.emplace().denials.resize(256);
  for (contracts::Denial& denial : refused.result->denials)
    denial.target = std::string(6'000, '\\');
  int64_t attempt = 0;
  for (const contracts::RunOutcome& outcome : {wordy, refused}) {
    exchange({assignment("a", ++attempt), assignment("b", attempt)});
    for (const char* uid : {"a", "b"}) {
      RunReport seen{.run_uid = uid, .attempt = attempt, .phase = RunPhase::kRunning};
      seen.outcome = outcome;
      core.observe(seen, 0);
    }
    const Call first = report();
    EXPECT_TRUE(first.request.runs[0].outcome.has_value());
    EXPECT_FALSE(first.request.runs[1].outcome.has_value());
    answer(first, says({assignment("b", attempt)}));
    const Call second = report();
    EXPECT_TRUE(second.request.runs[0].outcome.has_value());
    answer(second, says({}));
  }
}

}  // namespace
}  // namespace paddock::sync
