// The step that gives the command as many processors as were allotted to it.
#pragma once

#include <optional>

#include "node-agent/executor/step.h"

namespace paddock::executor {

// Holds them until the command has ended.
class ProcessorStep final : public Step {
 public:
  explicit ProcessorStep(const StepContext& run) : run_(run) {}

  Status prepare() override;
  Status add(contracts::LaunchRequest& request) override;
  void take_again() override;
  void undo() override { held_.reset(); }

 private:
  std::optional<int64_t> wanted() const;

  const StepContext& run_;
  std::optional<devices::ProcessorLedger::Hold> held_;
};

}  // namespace paddock::executor
