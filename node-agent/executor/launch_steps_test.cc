// The list of steps as a whole: what becomes of those before one that fails.
#include "node-agent/executor/launch_steps.h"

#include "node-agent/executor/run_life_fixture.h"

namespace paddock::executor {
namespace {

using contracts::RunPhase;

class FailingStep : public Life {
 protected:
  // The last step fails: this host has no accelerators.
  FailingStep() {
    auto& resources = assignment.spec.resources.emplace();
    resources.cpu = 2;
    resources.accelerators = {contracts::AcceleratorKind::kNvidia, 1};
  }
};

TEST_F(FailingStep, GivesBackWhatTheStepsBeforeItHold) {
  behave("ok");
  const contracts::RunOutcome outcome = run();
  EXPECT_EQ(outcome.phase, RunPhase::kFailed);
  EXPECT_EQ(outcome.reason, "ACCELERATOR_UNAVAILABLE");
  EXPECT_EQ(starts(), 0u);
  EXPECT_EQ(processors.take(1).processors(), (std::vector<int64_t>{4}));
}

TEST_F(FailingStep, LeavesNothingThatALaterAgentWouldTakeAgain) {
  behave("ok");
  run();
  EXPECT_EQ(folder().record()->stage, Stage::kEnded);
  const auto next = recover();
  EXPECT_FALSE(next->active());
  EXPECT_TRUE(next->held_accelerators().empty());
  EXPECT_EQ(processors.take(1).processors(), (std::vector<int64_t>{4}));
}

}  // namespace
}  // namespace paddock::executor
