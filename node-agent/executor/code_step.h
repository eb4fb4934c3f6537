// The step of a run of type `code`, in place of a project: scratch space alone, and the operator's
// Python.
#pragma once

#include "node-agent/executor/step.h"

namespace paddock::executor {

class CodeStep final : public Step {
 public:
  explicit CodeStep(const StepContext& run) : run_(run) {}
  Status add(contracts::LaunchRequest& request) override;

 private:
  const StepContext& run_;
};

}  // namespace paddock::executor
