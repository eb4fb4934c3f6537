// The step of a run that brings tools of its own: their configuration, in its scratch space, so not
// in its workspace, and gone with it.
#pragma once

#include <optional>
#include <string>

#include "node-agent/executor/step.h"

namespace paddock::executor {

class ToolBundleStep final : public Step {
 public:
  explicit ToolBundleStep(const StepContext& run) : run_(run) {}

  Status prepare() override;
  Status add(contracts::LaunchRequest& request) override;

 private:
  const StepContext& run_;
  std::optional<std::string> configuration_;
};

}  // namespace paddock::executor
