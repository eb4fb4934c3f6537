// The step that gives the command its accelerators. It is the last one: nobody else waits for them
// while an environment is built.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "node-agent/executor/step.h"

namespace paddock::executor {

// Holds them until the command has ended.
class AcceleratorStep final : public Step {
 public:
  explicit AcceleratorStep(const StepContext& run) : run_(run) {}

  // ACCELERATOR_UNAVAILABLE.
  Status prepare() override;
  Status add(contracts::LaunchRequest& request) override;
  void take_again() override;
  void undo() override;

  // The devices that the run holds. Any thread.
  std::vector<std::string> held() const;
  // Says in the result for how long they were held: until now, so just before undo().
  void account(contracts::RunOutcome& outcome) const;

 private:
  void hold(devices::AcceleratorLedger::Hold hold);

  const StepContext& run_;
  std::optional<devices::AcceleratorLedger::Hold> held_;
  Guarded<std::vector<std::string>> ids_;
};

}  // namespace paddock::executor
