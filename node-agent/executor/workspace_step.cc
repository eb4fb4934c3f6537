#include "node-agent/executor/workspace_step.h"

#include "common/contracts/tree_path.h"
#include "common/os/file.h"
#include "common/os/overlay.h"
#include "common/os/seen_folder.h"
#include "node-agent/executor/launcher.h"
#include "node-agent/executor/phase_timing.h"

namespace paddock::executor {

WorkspaceStep::WorkspaceStep(const StepContext& run) : run_(run) {
  const std::string& root = run.assignment.workspace_root;
  if (run.ports.trees == nullptr || root.empty() || run.record.stage == Stage::kEnded) return;
  tree_.emplace(*run.ports.trees, root);
}

// Trees in the cache are laid under the workspace and not copied: they are large, or volumes.
Status WorkspaceStep::prepare() {
  const ExecutorPorts& ports = run_.ports;
  PhaseTiming timing(ports.clock, run_.record.timings_ms["workspace"]);
  TRY(os::remove_tree(run_.folder.workspace()));
  TRY(os::remove_tree(run_.folder.layer_work()));
  const TreeSource from = source();
  TreeNews news;
  bool& layered = run_.record.layered;
  layered = run_.fetch.find_cached(from, news);
  if (!layered) {
    ASSIGN_OR_RETURN(const contracts::Tree tree, run_.fetch.fetch(from));
    layered = ports.trees != nullptr && !ports.config.copied.holds(tree);
    TRY(layered ? run_.fetch.make_cached(from, tree, news)
                : run_.fetch.copy(tree, run_.folder.workspace(), news,
                                  artifact_folders(workspace::taken_in(tree))));
  }
  if (layered) TRY(lay());
  run_.log.say(cat("workspace: ", news.text()));
  return {};
}

// Two folders above the cached tree, however large it is.
Status WorkspaceStep::lay() {
  TRY(os::make_dirs(run_.folder.layer_work()));
  const auto taken =
      workspace::taken_below(run_.ports.trees->files_of(run_.assignment.workspace_root));
  return workspace::make_layer(run_.folder.workspace(), artifact_folders(taken),
                               run_.fetch.owner());
}

// The folders of results are there before the command, which need not make them.
workspace::Folders WorkspaceStep::artifact_folders(
    const std::function<bool(const std::string&)>& taken) const {
  std::vector<std::string> wanted;
  for (const std::string& each : run_.assignment.spec.artifacts.dirs) {
    std::string dir = artifacts::normalized_dir(each);
    if (dir != "." && contracts::tree_path_fault(dir).empty()) wanted.push_back(std::move(dir));
  }
  return workspace::free_folders(wanted, taken);
}

Status WorkspaceStep::add(contracts::LaunchRequest& request) {
  request.workdir = std::string(contracts::kSandboxWorkspace);
  contracts::LaunchMount mount{run_.folder.workspace(), request.workdir,
                               contracts::MountMode::kReadWrite};
  if (run_.record.layered) {
    mount.lower_path = run_.ports.trees->files_of(run_.assignment.workspace_root);
    mount.work_path = run_.folder.layer_work();
  }
  request.mounts.push_back(std::move(mount));
  return {};
}

Result<os::Fd> WorkspaceStep::open() const {
  if (!run_.record.layered) return os::open_root(run_.folder.workspace());
  if (run_.ports.trees == nullptr) {
    return Error{Code::kFailedPrecondition, "LAYERS_UNAVAILABLE",
                 "this host cannot show the run's workspace any more"};
  }
  return os::mount_layers(
      {run_.ports.trees->files_of(run_.assignment.workspace_root), run_.folder.workspace(), ""});
}

// Files below an overlay must not be changed while it is mounted. So files for a run with layers
// are written through the run's own view, as the run's user.
Result<WritableWorkspace> WorkspaceStep::open_to_write(const RunDisk& disk, pid_t expected) const {
  WritableWorkspace out{.root = {}, .user = run_.ports.config.sandbox_uid};
  out.wrote = disk.adder();
  const os::FolderUse use = disk.taken_lately();
  const contracts::SandboxLimits& limits = run_.assignment.policy.limits;
  if (limits.fs_bytes) out.bytes_left = limits.fs_bytes->bytes - use.bytes;
  if (limits.file_count) out.files_left = *limits.file_count - use.files;
  if (!run_.record.layered) {
    ASSIGN_OR_RETURN(out.root, os::open_root(run_.folder.workspace()));
    return out;
  }
  const auto launcher = find_lock_holder(LaunchFiles::in(run_.folder).events, expected);
  if (!launcher)
    return Error{Code::kFailedPrecondition, "RUN_NOT_RUNNING", "the run has just ended"};
  ASSIGN_OR_RETURN(os::SeenFolder seen,
                   os::seen_folder(*launcher, std::string(contracts::kSandboxWorkspace.substr(1))));
  out.root = std::move(seen.folder);
  out.user = seen.user;
  ASSIGN_OR_RETURN(out.measured, os::open_root(run_.folder.workspace()));
  return out;
}

}  // namespace paddock::executor
