// The step that makes what the run's requirements name, in a sandbox of its own, or finds it as an
// earlier run has left it.
#pragma once

#include <optional>

#include "node-agent/executor/launcher.h"
#include "node-agent/executor/step.h"
#include "node-agent/executor/workspace_step.h"

namespace paddock::executor {

// Holds the environment's lease until the command has ended: nobody may prune it under the command.
class EnvironmentStep final : public Step {
 public:
  // `workspace` stands before this one, and has the requirements.
  EnvironmentStep(const StepContext& run, const WorkspaceStep& workspace)
      : run_(run), workspace_(workspace) {}

  Status prepare() override;
  Status add(contracts::LaunchRequest& request) override;
  void take_again() override;
  void undo() override { lease_.reset(); }

  // Whether it is a Python of its own. After prepare().
  bool has_python() const { return has_python_; }

 private:
  Result<runtimes::Environment> make();
  Result<contracts::SandboxResult> build(const contracts::LaunchRequest& given);
  Result<contracts::SandboxResult> follow_build(const LauncherProcess& process,
                                                const RunFolder& folder, OutputLog& output,
                                                std::optional<Millis> wall_time);
  RunFolder build_folder() const { return RunFolder(run_.folder.file("build")); }

  const StepContext& run_;
  const WorkspaceStep& workspace_;
  bool has_python_ = false;
  std::optional<contracts::LaunchMount> mount_;
  std::optional<runtimes::EnvironmentLease> lease_;
};

}  // namespace paddock::executor
