// The step of a run that may call the controller back: a tool token, with the way to the controller
// that it is good for. It is in the command's environment alone, and never kept by the agent.
#pragma once

#include <optional>

#include "node-agent/executor/step.h"

namespace paddock::executor {

class ToolTokenStep final : public Step {
 public:
  explicit ToolTokenStep(const StepContext& run) : run_(run) {}

  Status prepare() override;
  Status add(contracts::LaunchRequest& request) override;
  void undo() override { credential_.reset(); }

 private:
  const StepContext& run_;
  std::optional<RunCredential> credential_;  // from prepare() to add()
};

}  // namespace paddock::executor
