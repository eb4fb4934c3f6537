// All that a run's command needs before it can be launched, as one list of steps (step.h).
#pragma once

#include <vector>

#include "node-agent/executor/accelerator_step.h"
#include "node-agent/executor/code_step.h"
#include "node-agent/executor/command_step.h"
#include "node-agent/executor/environment_step.h"
#include "node-agent/executor/judge_step.h"
#include "node-agent/executor/processor_step.h"
#include "node-agent/executor/secrets_step.h"
#include "node-agent/executor/tool_bundle_step.h"
#include "node-agent/executor/tool_token_step.h"
#include "node-agent/executor/volume_step.h"
#include "node-agent/executor/workspace_step.h"

namespace paddock::executor {

class LaunchSteps {
 public:
  // `run` outlives it.
  explicit LaunchSteps(const StepContext& run);

  // Each in its order, until one fails: what came before it stays prepared until undo().
  Status prepare();
  // The launch request that all prepared steps add up to.
  Result<contracts::LaunchRequest> request();
  // The command of an earlier agent still runs, or its result is there.
  void take_again();
  // In the reverse order. Once the command has ended and that is recorded, or will not start.
  void undo();

  const WorkspaceStep& workspace() const { return workspace_; }
  const JudgeStep& judge() const { return judge_; }
  const AcceleratorStep& accelerators() const { return accelerators_; }

 private:
  std::vector<Step*> in_order(bool is_code);

  WorkspaceStep workspace_;
  VolumeStep volumes_;
  EnvironmentStep environment_;
  CodeStep code_;
  CommandStep command_;
  SecretsStep secrets_;
  ToolTokenStep tool_token_;
  ToolBundleStep tool_bundle_;
  JudgeStep judge_;
  ProcessorStep processors_;
  AcceleratorStep accelerators_;
  const std::vector<Step*> steps_;
};

}  // namespace paddock::executor
