// The sync core against a controller that loses, repeats and reorders messages.
#include "node-agent/sync/sync_core_fixture.h"

namespace paddock::sync {
namespace {

using contracts::Assignment;
using contracts::OutputChunk;
using contracts::RunPhase;
using contracts::RunReport;
using contracts::SyncAnswer;
using testing::IsEmpty;

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
  SyncCore core("process-1", 1, {});
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
      std::vector<OutputRead> read;
      if (lane == Lane::kReport) read = read_output(core.wanted_output(), output);
      Call call = core.begin(lane, clock.mono(), std::move(read));
      if (dice.below(4) == 0) serve(call.request);  // arrives, its answer is lost
      if (dice.below(4) == 0) {
        core.failed(call, Error{Code::kUnavailable, "CONNECTION_BROKEN", ""}, clock.mono(), dice);
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
}  // namespace paddock::sync
