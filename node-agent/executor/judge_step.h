// The step of a test run: its command is started by our judge, and the result is compared with the
// judge's report (common/test_report).
#pragma once

#include <string>

#include "node-agent/executor/step.h"

namespace paddock::executor {

class JudgeStep final : public Step {
 public:
  explicit JudgeStep(const StepContext& run) : run_(run) {}

  Status prepare() override;
  // After the step that sets the command.
  Status add(contracts::LaunchRequest& request) override;

  // How a run ended that has this result, by its report too if it is a test run.
  contracts::RunOutcome outcome_of(contracts::SandboxResult result) const;

 private:
  bool is_judged() const;
  std::string folder() const { return run_.folder.file("tests"); }

  const StepContext& run_;
};

}  // namespace paddock::executor
