#include "controller/runs/measures.h"

#include <gmock/gmock.h>

namespace paddock::runs {
namespace {

using testing::ElementsAre;

constexpr WallTime kStart{1'750'000'000'000};

WallTime at(int64_t ms) { return kStart + Millis(ms); }

std::vector<std::pair<Stage, int64_t>> stages(const contracts::Run& run, const Events& events) {
  std::vector<std::pair<Stage, int64_t>> out;
  for (const StageTime& each : measures_of(run, events).stages)
    out.emplace_back(each.stage, each.took.count());
  return out;
}

contracts::Run new_run() {
  contracts::Run run;
  admit(run, kStart);
  return run;
}

contracts::RunReport report_of(contracts::RunPhase phase) {
  contracts::RunReport report;
  report.attempt = 1;
  report.phase = phase;
  report.started_at = wire::Timestamp{kStart};  // by the node's clock, which nobody trusts
  return report;
}

contracts::RunOutcome outcome_after(int64_t ms) {
  contracts::RunOutcome outcome;
  outcome.phase = contracts::RunPhase::kFailed;
  outcome.result.emplace().duration_ms = ms;
  return outcome;
}

TEST(Measures, TellEachStageWhenItIsOver) {
  contracts::Run run = new_run();
  EXPECT_THAT(stages(run, bind(run, "n1", at(100)).value()),
              ElementsAre(std::pair(Stage::kQueued, 100)));
  EXPECT_THAT(
      stages(run, observe(run, report_of(contracts::RunPhase::kPreparing), at(150)).value()),
      ElementsAre());
  EXPECT_THAT(stages(run, observe(run, report_of(contracts::RunPhase::kRunning), at(300)).value()),
              ElementsAre(std::pair(Stage::kStarting, 200)));
  EXPECT_THAT(stages(run, request_cancel(run, at(400))), ElementsAre()) << "it runs on";
  EXPECT_THAT(stages(run, finish(run, 1, outcome_after(700), at(1'010)).value()),
              ElementsAre(std::pair(Stage::kTotal, 1'010), std::pair(Stage::kRunning, 700)));
}

TEST(Measures, DoNotCountACommandThatEndedBeforeItsReportAsItsStart) {
  contracts::Run run = new_run();
  static_cast<void>(bind(run, "n1", at(100)).value());
  Events events = observe(run, report_of(contracts::RunPhase::kRunning), at(400)).value();
  const Events finished = finish(run, 1, outcome_after(250), at(400)).value();
  for (const auto& each : finished) events.push_back(each);
  EXPECT_EQ(stages(run, events)[0], std::pair(Stage::kStarting, int64_t{50}));
}

TEST(Measures, OfARunThatNeverStartedAreItsTotalAlone) {
  contracts::Run run = new_run();
  EXPECT_THAT(stages(run, request_cancel(run, at(20))), ElementsAre(std::pair(Stage::kTotal, 20)));
}

TEST(Measures, CountOneQueueForARunThatIsTriedAgain) {
  contracts::Run run = new_run();
  run.spec.retry.emplace().max_attempts = 3;
  static_cast<void>(bind(run, "n1", at(100)).value());
  EXPECT_THAT(stages(run, lose_node(run, "gone", at(200))), ElementsAre());
  ASSERT_EQ(run.status.phase, contracts::RunPhase::kPending);
  EXPECT_THAT(stages(run, bind(run, "n2", at(300)).value()), ElementsAre());
}

TEST(Measures, KnowFourKindsOfDenialsWhateverANodeSays) {
  contracts::SandboxResult result;
  for (const char* what :
       {"execute", "network connect", "network listen", "name lookup", "x\"}\n"}) {
    auto& denial = result.denials.emplace_back();
    denial.what = what;
    denial.count = 2;
  }
  result.denials.emplace_back().count = -5;
  EXPECT_EQ(denial_counts(result), (DenialCounts{2, 4, 2, 2}));
}

}  // namespace
}  // namespace paddock::runs
