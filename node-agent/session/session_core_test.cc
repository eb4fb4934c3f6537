#include "node-agent/session/session_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::session {
namespace {

using contracts::Assignment;
using contracts::DesiredState;
using contracts::OutputChunk;
using contracts::RunPhase;
using contracts::RunReport;
using contracts::SyncAnswer;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Every run has as much output as is asked for; each chunk holds `chunk_bytes`.
class FakeOutput : public OutputReader {
 public:
  std::map<RunKey, int64_t> last;
  size_t chunk_bytes = 100;
  std::vector<OutputChunk> read(const RunKey& key, int64_t after, size_t max_bytes) override {
    std::vector<OutputChunk> out;
    size_t used = 0;
    for (int64_t seq = after + 1; seq <= last[key] && (out.empty() || used < max_bytes); ++seq) {
      out.push_back({.seq = seq,
                     .time_ms = seq,
                     .stream = "stdout",
                     .data = base64(std::string(chunk_bytes, 'x'))});
      used += chunk_bytes;
    }
    return out;
  }
};

class Core : public testing::Test {
 protected:
  Core() { core.set_status({}); }

  static Assignment assignment(const std::string& uid, int64_t attempt = 1, int64_t acked = 0) {
    Assignment out;
    out.run_uid = uid;
    out.attempt = attempt;
    out.output_acked = acked;
    return out;
  }
  static Assignment cancel(const std::string& uid, int64_t attempt = 1) {
    Assignment out = assignment(uid, attempt);
    out.desired = DesiredState::kCancel;
    return out;
  }
  SyncAnswer says(std::vector<Assignment> runs) {
    return {.version = std::to_string(++version), .runs = std::move(runs)};
  }
  Call report() { return core.begin(Lane::kReport, clock.mono(), output); }
  Call hold() { return core.begin(Lane::kHold, clock.mono(), output); }
  std::vector<Action> answer(const Call& call, const SyncAnswer& said) {
    return core.answered(call, said, clock.mono(), random);
  }
  std::vector<Action> exchange(std::vector<Assignment> runs) {
    return answer(report(), says(std::move(runs)));
  }
  void observe(const std::string& uid, RunPhase phase, int64_t last_seq = 0, bool ended = false,
               int64_t attempt = 1) {
    RunReport seen{.run_uid = uid, .attempt = attempt, .phase = phase};
    if (ended) seen.outcome = contracts::RunOutcome{.phase = RunPhase::kSucceeded};
    output.last[{uid, attempt}] = last_seq;
    core.observe(seen, last_seq);
  }
  static std::string text(const Action& action) {
    if (const auto* start = std::get_if<StartRun>(&action)) {
      return cat("start ", start->assignment.run_uid, "/", start->assignment.attempt);
    }
    if (const auto* stop = std::get_if<CancelRun>(&action)) {
      return cat("cancel ", stop->key.uid, "/", stop->key.attempt);
    }
    const RunKey& key = std::get<ForgetRun>(action).key;
    return cat("forget ", key.uid, "/", key.attempt);
  }
  static std::vector<std::string> texts(const std::vector<Action>& actions) {
    std::vector<std::string> out;
    for (const Action& each : actions) out.push_back(text(each));
    return out;
  }

  ManualClock clock;
  SeededRandom random{7};
  FakeOutput output;
  SessionCore core{"session-1", 1, {{"rack", "a"}}};
  int version = 0;
};

TEST_F(Core, TellsItsStatusUntilACallWithItWasAnswered) {
  EXPECT_TRUE(core.has_news());
  const Call lost = report();
  EXPECT_TRUE(lost.request.status.has_value());
  core.failed(lost, Error{Code::kUnavailable, "CONNECTION_LOST", "gone"}, clock.mono(), random);
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

TEST_F(Core, ALostAnswerIsMadeUpForByTheNextOne) {
  const Call lost = report();
  core.failed(lost, Error{Code::kUnavailable, "CONNECTION_LOST", "gone"}, clock.mono(), random);
  EXPECT_THAT(texts(exchange({assignment("a")})), ElementsAre("start a/1"));
  observe("a", RunPhase::kRunning, 3);
  const Call told = report();
  EXPECT_THAT(told.request.runs[0].output, SizeIs(3));
  core.failed(told, Error{Code::kUnavailable, "CONNECTION_LOST", "gone"}, clock.mono(), random);
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

TEST_F(Core, AcknowledgementsOfAnOvertakenAnswerStillCount) {
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 3);
  const Call reported = report();
  answer(hold(), says({assignment("a")}));
  answer(reported, says({assignment("a", 1, 3)}));
  EXPECT_FALSE(core.has_news());
}

TEST_F(Core, ADroppedAttemptThatIsAskedForAgainFailsInsteadOfRunningTwice) {
  exchange({assignment("a")});
  exchange({});
  EXPECT_THAT(exchange({assignment("a")}), IsEmpty());
  const Call call = report();
  ASSERT_TRUE(call.request.runs[0].outcome.has_value());
  EXPECT_EQ(call.request.runs[0].outcome->reason, "ATTEMPT_REPEATED");
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

TEST_F(Core, AHeldCallIsShorterThanTheLeaseAndNamesTheVersionItKnows) {
  SyncAnswer said = says({});
  said.lease_ms = 6'000;
  answer(report(), said);
  const Call call = hold();
  EXPECT_EQ(call.request.wait_ms, 4'000);
  EXPECT_EQ(call.request.known_version, said.version);
  EXPECT_THAT(call.request.runs, IsEmpty());
}

TEST_F(Core, TheFirstCallOfASessionKnowsNoVersion) {
  EXPECT_EQ(report().request.known_version, "");
  EXPECT_EQ(report().request.labels.at("rack"), "a");
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

TEST_F(Core, AControllerThatTakesNothingIsNotHammered) {
  exchange({assignment("a")});
  observe("a", RunPhase::kRunning, 3);
  exchange({assignment("a", 1, 0)});
  EXPECT_GT(core.not_before(Lane::kReport), clock.mono());
  exchange({assignment("a", 1, 3)});
  EXPECT_EQ(core.not_before(Lane::kReport), clock.mono());
}

TEST_F(Core, AHeldCallThatComesBackUnchangedAtOnceIsNotRepeatedAtOnce) {
  const SyncAnswer said = says({});
  answer(report(), said);
  answer(hold(), said);
  EXPECT_GT(core.not_before(Lane::kHold), clock.mono());
  const Call call = hold();
  clock.advance(Millis(5'000));
  answer(call, said);
  EXPECT_EQ(core.not_before(Lane::kHold), clock.mono());
}

TEST_F(Core, FailuresBackOffAndASuccessForgivesThem) {
  const Error down{Code::kUnavailable, "CONNECTION_LOST", "gone"};
  Millis longest{0};
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(core.failed(report(), down, clock.mono(), random).verdict, Verdict::kRetry);
    longest = std::max(longest, core.not_before(Lane::kReport) - clock.mono());
  }
  EXPECT_GE(longest, Millis(2'500));
  EXPECT_LE(longest, Millis(5'000));
  exchange({});
  EXPECT_EQ(core.not_before(Lane::kReport), clock.mono());
}

TEST_F(Core, ASupersededSessionStops) {
  const Error error{Code::kConflict, "SESSION_SUPERSEDED", "a newer agent took over"};
  EXPECT_EQ(core.failed(report(), error, clock.mono(), random).verdict, Verdict::kStop);
}

TEST_F(Core, AnUnknownCredentialAsksForEnrolmentButADistrustedServerDoesNot) {
  EXPECT_EQ(core.failed(report(), Error{Code::kUnauthenticated, "UNKNOWN_TOKEN", ""}, clock.mono(),
                        random)
                .verdict,
            Verdict::kEnroll);
  EXPECT_EQ(core.failed(report(), Error{Code::kUnauthenticated, "SERVER_NOT_TRUSTED", ""},
                        clock.mono(), random)
                .verdict,
            Verdict::kRetry);
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

TEST_F(Core, LargeOutcomesAreSpreadOverCalls) {
  exchange({assignment("a"), assignment("b")});
  for (const char* uid : {"a", "b"}) {
    RunReport seen{.run_uid = uid, .attempt = 1, .phase = RunPhase::kRunning};
    seen.outcome = contracts::RunOutcome{.phase = RunPhase::kSucceeded};
    seen.outcome->message = std::string(3 << 20, 'm');
    core.observe(seen, 0);
  }
  const Call first = report();
  EXPECT_TRUE(first.request.runs[0].outcome.has_value());
  EXPECT_FALSE(first.request.runs[1].outcome.has_value());
  answer(first, says({assignment("b")}));
  EXPECT_TRUE(report().request.runs[0].outcome.has_value());
}

// A controller written apart from the core: messages are lost, repeated and reordered by seed;
// every assignment must be started exactly once, and every outcome and all output must arrive.
class Faulty : public testing::TestWithParam<uint64_t> {};

TEST_P(Faulty, EveryRunIsStartedOnceAndReportedWhole) {
  struct Stored {
    int64_t acked = 0;
    bool ended = false;
  };
  SeededRandom dice(GetParam());
  ManualClock clock;
  FakeOutput output;
  SessionCore core("session-1", 1, {});
  core.set_status({});
  std::map<std::string, Stored> controller;
  for (int i = 0; i < 6; ++i) controller[cat("run", i)] = {};
  std::map<std::string, int> started;
  std::vector<std::pair<Call, SyncAnswer>> in_flight;

  const auto serve = [&](const contracts::SyncRequest& request) {
    for (const RunReport& report : request.runs) {
      Stored& stored = controller[report.run_uid];
      for (const OutputChunk& chunk : report.output) {
        if (chunk.seq == stored.acked + 1) stored.acked = chunk.seq;
      }
      if (report.outcome && stored.acked == 20) stored.ended = true;
    }
    SyncAnswer answer;
    for (const auto& [uid, stored] : controller) {
      if (stored.ended) continue;
      Assignment wanted;
      wanted.run_uid = uid;
      wanted.attempt = 1;
      wanted.output_acked = stored.acked;
      answer.runs.push_back(wanted);
    }
    answer.version = cat("v", answer.runs.size());
    return answer;
  };
  const auto act = [&](const std::vector<Action>& actions) {
    for (const Action& action : actions) {
      if (const auto* start = std::get_if<StartRun>(&action)) {
        ++started[start->assignment.run_uid];
        RunReport seen{
            .run_uid = start->assignment.run_uid, .attempt = 1, .phase = RunPhase::kRunning};
        seen.outcome = contracts::RunOutcome{.phase = RunPhase::kSucceeded};
        output.last[{seen.run_uid, 1}] = 20;
        core.observe(seen, 20);
      }
    }
  };
  for (int step = 0; step < 4'000; ++step) {
    clock.advance(Millis(static_cast<int64_t>(dice.below(3'000))));
    if (in_flight.size() < 2) {
      const Lane lane = in_flight.empty() ? Lane::kReport : Lane::kHold;
      Call call = core.begin(lane, clock.mono(), output);
      if (dice.below(4) == 0) serve(call.request);  // arrives, its answer is lost
      if (dice.below(4) == 0) {
        core.failed(call, Error{Code::kUnavailable, "CONNECTION_LOST", ""}, clock.mono(), dice);
      } else {
        if (dice.below(4) == 0) serve(call.request);  // arrives twice
        SyncAnswer answer = serve(call.request);
        in_flight.emplace_back(std::move(call), std::move(answer));
      }
    }
    if (!in_flight.empty() && dice.below(2) == 0) {
      const size_t pick = dice.below(in_flight.size());
      const auto [call, answer] = in_flight[pick];
      in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(pick));
      act(core.answered(call, answer, clock.mono(), dice));
    }
  }
  for (const auto& [uid, stored] : controller) {
    EXPECT_TRUE(stored.ended) << uid;
    EXPECT_EQ(started[uid], 1) << uid;
  }
  EXPECT_THAT(core.held(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, Faulty, testing::Range<uint64_t>(1, 101));

}  // namespace
}  // namespace paddock::session
