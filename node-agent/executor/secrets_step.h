// The step that asks for the values of the run's Secrets. The agent never keeps them: after a
// restart it asks again, and what was launched has them already.
#pragma once

#include <vector>

#include "node-agent/executor/step.h"

namespace paddock::executor {

class SecretsStep final : public Step {
 public:
  explicit SecretsStep(const StepContext& run) : run_(run) {}

  Status prepare() override;
  Status add(contracts::LaunchRequest& request) override;
  void undo() override { values_.clear(); }

 private:
  const StepContext& run_;
  std::vector<contracts::RunSecret> values_;  // from prepare() to add()
};

}  // namespace paddock::executor
