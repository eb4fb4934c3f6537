// The step that brings the run's workspace here, and how its files are opened from outside.
#pragma once

#include <optional>
#include <string>

#include "common/os/fd.h"
#include "node-agent/executor/run_disk.h"
#include "node-agent/executor/step.h"
#include "node-agent/executor/writable_workspace.h"

namespace paddock::executor {

// The folders are the run's and go with it. What is given back is the tree of this node's cache,
// which the step holds from its making on, as long as the run has not ended.
class WorkspaceStep final : public Step {
 public:
  explicit WorkspaceStep(const StepContext& run);

  Status prepare() override;
  Status add(contracts::LaunchRequest& request) override;
  void undo() override { tree_.reset(); }

  TreeSource source() const { return {run_.assignment.workspace_root, ""}; }
  // The files as they came, before the command; as it left them, afterwards. To read. Any thread,
  // once there is a launcher.
  Result<os::Fd> open() const;
  // To put files into it while it runs, one at a time. `expected`: the process that should be the
  // command's launcher, 0: not known. RUN_NOT_RUNNING.
  Result<WritableWorkspace> open_to_write(const RunDisk& disk, pid_t expected) const;

 private:
  Status lay();
  workspace::Folders artifact_folders(const std::function<bool(const std::string&)>& taken) const;

  const StepContext& run_;
  std::optional<workspace::TreeCache::Pin> tree_;
};

}  // namespace paddock::executor
