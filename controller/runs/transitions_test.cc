#include "controller/runs/transitions.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "common/wire/json.h"
#include "controller/runs/array_transitions.h"

namespace paddock::runs {
namespace {

using contracts::RunPhase;

constexpr WallTime kMoment{1'750'000'000'000};
constexpr std::array kAllPhases = {RunPhase::kPending, RunPhase::kScheduled, RunPhase::kPreparing,
                                   RunPhase::kRunning, RunPhase::kSucceeded, RunPhase::kFailed,
                                   RunPhase::kCanceled};

// A run in a phase, brought there by facts only.
contracts::Run run_in(RunPhase phase) {
  contracts::Run run;
  run.metadata.name = "r";
  run.metadata.uid = "u";
  admit(run, kMoment);
  if (phase == RunPhase::kPending) return run;
  static_cast<void>(bind(run, "n1", kMoment + Millis(40)).value());
  contracts::RunReport report;
  report.attempt = 1;
  report.phase = phase;
  if (contracts::is_terminal(phase)) {
    contracts::RunOutcome outcome;
    outcome.phase = phase;
    outcome.message = "as reported";
    static_cast<void>(finish(run, 1, outcome, kMoment).value());
  } else {
    static_cast<void>(observe(run, report, kMoment).value());
  }
  EXPECT_EQ(run.status.phase, phase);
  return run;
}

// Applies one fact through the public functions.
Events apply_fact(contracts::Run& run, Fact fact) {
  contracts::RunReport report;
  report.attempt = run.status.attempt;
  contracts::RunOutcome outcome;
  switch (fact) {
    case Fact::kBound: {
      auto bound = bind(run, "n2", kMoment);
      return bound.ok() ? *bound : Events{};
    }
    case Fact::kPreparing:
    case Fact::kStarted: {
      report.phase = fact == Fact::kStarted ? RunPhase::kRunning : RunPhase::kPreparing;
      auto seen = observe(run, report, kMoment);
      return seen.ok() ? *seen : Events{};
    }
    case Fact::kSucceeded:
      outcome.phase = RunPhase::kSucceeded;
      break;
    case Fact::kFailed:
      outcome.phase = RunPhase::kFailed;
      break;
    case Fact::kCanceled:
      outcome.phase = RunPhase::kCanceled;
      break;
    case Fact::kCancelRequested:
      return request_cancel(run, kMoment);
    case Fact::kNodeLost:
      return lose_node(run, "gone", kMoment);
    case Fact::kRetried:
      if (next_phase(run.status.phase, fact)) run.spec.retry = contracts::RetryPolicy{};
      return lose_node(run, "gone", kMoment);
    case Fact::kEvicted:
      return evict(run, {kNodeDrained, "drained"}, kMoment);
    case Fact::kExpired:
      return run.status.phase == RunPhase::kPending ? expire(run, kMoment) : Events{};
    case Fact::kElementPlaced:
      if (next_phase(run.status.phase, fact)) {
        run.spec.array.emplace();
        run.status.array.emplace();
      }
      return start_array(run, kMoment);
  }
  auto finished = finish(run, run.status.attempt, outcome, kMoment);
  return finished.ok() ? *finished : Events{};
}

std::string table_text() {
  std::string text;
  for (const RunPhase from : kAllPhases) {
    for (const Fact fact : kAllFacts) {
      const auto to = next_phase(from, fact);
      text += cat(wire::enum_name(from), " ", fact_name(fact), " ",
                  to ? wire::enum_name(*to) : std::string_view("-"), "\n");
    }
  }
  return text;
}

TEST(RunTransitions, TheTableIsTheGoldenOne) {
  const char* root = std::getenv("PADDOCK_SOURCE_DIR");
  if (root == nullptr) GTEST_SKIP() << "PADDOCK_SOURCE_DIR is not set";
  const std::string path = cat(root, "/tests/golden/transitions.txt");
  if (std::getenv("PADDOCK_ACCEPT_GOLDEN") != nullptr) std::ofstream(path) << table_text();
  std::stringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(table_text(), golden.str()) << "accept with PADDOCK_ACCEPT_GOLDEN=1";
}

TEST(RunTransitions, EveryFactInEveryPhaseDoesWhatTheTableSays) {
  for (const RunPhase from : kAllPhases) {
    for (const Fact fact : kAllFacts) {
      SCOPED_TRACE(cat(wire::enum_name(from), " ", fact_name(fact)));
      contracts::Run run = run_in(from);
      const wire::Value before = wire::encode(run);
      const Events events = apply_fact(run, fact);
      const auto to = next_phase(from, fact);
      if (!to) {
        EXPECT_TRUE(events.empty());
        EXPECT_EQ(wire::encode(run), before);
        continue;
      }
      EXPECT_EQ(run.status.phase, *to);
      ASSERT_FALSE(events.empty());
      EXPECT_EQ(events[0].type, contracts::kEventPhase);
      EXPECT_EQ(events.size(), contracts::is_terminal(*to) ? 2u : 1u);
      if (contracts::is_terminal(*to)) {
        EXPECT_EQ(events[1].type, contracts::kEventEnd);
        EXPECT_TRUE(run.status.finished_at);
      }
    }
  }
}

TEST(RunTransitions, ATerminalRunNeverChanges) {
  for (const RunPhase phase : {RunPhase::kSucceeded, RunPhase::kFailed, RunPhase::kCanceled}) {
    for (const Fact fact : kAllFacts) EXPECT_FALSE(next_phase(phase, fact));
    contracts::Run run = run_in(phase);
    const wire::Value before = wire::encode(run);
    EXPECT_TRUE(explain_pending(run, kUnschedulable, "x", kMoment).empty());
    contracts::RunReport report;
    report.attempt = 1;
    report.timings_ms["run"] = 5;
    EXPECT_EQ(observe(run, report, kMoment).error().reason, "RUN_FINISHED");
    EXPECT_EQ(wire::encode(run), before);
  }
}

TEST(RunTransitions, AStaleAttemptIsRefused) {
  contracts::Run run = run_in(RunPhase::kRunning);
  contracts::RunReport report;
  for (const int64_t attempt : {0, 2}) {
    report.attempt = attempt;
    EXPECT_EQ(observe(run, report, kMoment).error().reason, "STALE_ATTEMPT");
    EXPECT_EQ(finish(run, attempt, {}, kMoment).error().reason, "STALE_ATTEMPT");
  }
  contracts::Run pending = run_in(RunPhase::kPending);
  EXPECT_EQ(finish(pending, 0, {}, kMoment).error().reason, "STALE_ATTEMPT");
}

TEST(RunTransitions, AnOutcomeMustBeTerminal) {
  contracts::Run run = run_in(RunPhase::kRunning);
  contracts::RunOutcome outcome;
  outcome.phase = RunPhase::kRunning;
  EXPECT_EQ(finish(run, 1, outcome, kMoment).error().reason, "OUTCOME_NOT_TERMINAL");
  EXPECT_EQ(run.status.phase, RunPhase::kRunning);
}

TEST(RunTransitions, AnOldMessageDoesNotTurnTimeBack) {
  contracts::Run run = run_in(RunPhase::kRunning);
  contracts::RunReport report;
  report.attempt = 1;
  report.phase = RunPhase::kPreparing;
  EXPECT_TRUE(observe(run, report, kMoment)->empty());
  EXPECT_EQ(run.status.phase, RunPhase::kRunning);
}

TEST(RunTransitions, APendingRunIsCanceledAtOnceAndAPlacedOneWaitsForItsNode) {
  contracts::Run pending = run_in(RunPhase::kPending);
  EXPECT_EQ(request_cancel(pending, kMoment).size(), 2u);
  EXPECT_EQ(pending.status.phase, RunPhase::kCanceled);

  contracts::Run running = run_in(RunPhase::kRunning);
  EXPECT_EQ(request_cancel(running, kMoment).size(), 1u);
  EXPECT_TRUE(running.spec.cancel_requested);
  EXPECT_EQ(running.status.phase, RunPhase::kRunning);
  EXPECT_EQ(running.metadata.generation, 2);
  EXPECT_TRUE(request_cancel(running, kMoment).empty());
  EXPECT_EQ(running.metadata.generation, 2);
}

TEST(RunTransitions, ALostNodeEndsTheRunWithoutInventingAResult) {
  contracts::Run run = run_in(RunPhase::kRunning);
  const Events events = lose_node(run, "node n1 was not heard from for 1m", kMoment);
  EXPECT_EQ(run.status.reason, "NODE_LOST");
  EXPECT_FALSE(run.status.result);
  ASSERT_EQ(events.size(), 2u);
  const wire::Value end = wire::parse_json(events[1].data).value();
  EXPECT_EQ(end.text("phase"), "Failed");
  EXPECT_TRUE(end.find("rc")->is_null());
  EXPECT_TRUE(end.find("status")->is_null());
}

TEST(RunTransitions, TheEndCarriesWhatTheSandboxSaid) {
  contracts::Run run = run_in(RunPhase::kRunning);
  contracts::RunOutcome outcome;
  outcome.phase = RunPhase::kFailed;
  outcome.result.emplace();
  outcome.result->status = contracts::SandboxStatus::kTimeout;
  outcome.result->rc = 124;
  const Events events = finish(run, 1, outcome, kMoment).value();
  const wire::Value end = wire::parse_json(events.at(1).data).value();
  EXPECT_EQ(*end.find("rc"), wire::Value(124));
  EXPECT_EQ(end.text("status"), "TIMEOUT");
}

TEST(RunTransitions, WhyARunWaitsIsSaidOncePerAnswer) {
  contracts::Run run = run_in(RunPhase::kPending);
  EXPECT_EQ(explain_pending(run, kUnschedulable, "0/1 nodes fit", kMoment).size(), 1u);
  EXPECT_TRUE(explain_pending(run, kUnschedulable, "0/1 nodes fit", kMoment).empty());
  EXPECT_EQ(explain_pending(run, kUnschedulable, "0/2 nodes fit", kMoment).size(), 1u);
  static_cast<void>(bind(run, "n1", kMoment).value());
  EXPECT_EQ(run.status.reason, kWaitingForNode);
  for (const std::string& fact : {std::string("n1"), format_time(kMoment)})
    EXPECT_NE(run.status.message.find(fact), std::string::npos) << run.status.message;
  EXPECT_EQ(run.status.conditions.size(), 1u);
  EXPECT_EQ(run.status.conditions[0].status, "True");
}

TEST(RunTransitions, AdmissionForgetsAStatusThatTheCallerMadeUp) {
  contracts::Run run;
  run.status.phase = RunPhase::kSucceeded;
  run.status.node_name = "n";
  run.status.attempt = 9;
  run.spec.cancel_requested = true;
  run.status.workspace_root = "root";
  run.status.volumes = {{"v", 1, "tree"}};
  admit(run, kMoment);
  EXPECT_EQ(run.status.phase, RunPhase::kPending);
  EXPECT_EQ(run.status.attempt, 0);
  EXPECT_EQ(run.status.node_name, "");
  EXPECT_EQ(run.status.workspace_root, "root");
  ASSERT_EQ(run.status.volumes.size(), 1U);
  EXPECT_EQ(run.status.volumes[0].root, "tree");
  EXPECT_FALSE(run.spec.cancel_requested);
}

TEST(RunTransitions, TheTimeInTheQueueIsKept) {
  contracts::Run run;
  admit(run, kMoment);
  static_cast<void>(bind(run, "n1", kMoment + Millis(1500)).value());
  EXPECT_EQ(run.status.timings_ms.at("queue"), 1500);
}

}  // namespace
}  // namespace paddock::runs
