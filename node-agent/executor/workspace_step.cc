// The step of RunLife that brings the workspace here, and how its files are opened.
#include "common/contracts/tree_path.h"
#include "common/os/file.h"
#include "common/os/overlay.h"
#include "common/os/seen_folder.h"
#include "node-agent/executor/phase_timing.h"
#include "node-agent/executor/run_life.h"

namespace paddock::executor {
// What is in the cache is laid: it is large, or a volume too.
Status RunLife::fetch_workspace() {
  PhaseTiming timing(ports_.clock, record_.timings_ms["workspace"]);
  TRY(os::remove_tree(folder_.workspace()));
  TRY(os::remove_tree(folder_.layer_work()));
  const TreeSource source = workspace_source();
  TreeNews news;
  record_.layered = fetch_.find_cached(source, news);
  if (!record_.layered) {
    ASSIGN_OR_RETURN(const contracts::Tree tree, fetch_.fetch(source));
    record_.layered = ports_.trees != nullptr && !ports_.config.copied.holds(tree);
    TRY(record_.layered ? fetch_.make_cached(source, tree, news)
                        : fetch_.copy(tree, folder_.workspace(), news,
                                      artifact_folders(workspace::taken_in(tree))));
  }
  if (record_.layered) TRY(lay_workspace());
  say(cat("workspace: ", news.text()));
  return {};
}

// Two folders above the cached tree, however large it is.
Status RunLife::lay_workspace() {
  TRY(os::make_dirs(folder_.layer_work()));
  const auto taken = workspace::taken_below(ports_.trees->files_of(assignment_.workspace_root));
  return workspace::make_layer(folder_.workspace(), artifact_folders(taken), fetch_.owner());
}

// The folders of results are there before the command, which need not make them.
workspace::Folders RunLife::artifact_folders(
    const std::function<bool(const std::string&)>& taken) const {
  std::vector<std::string> wanted;
  for (const std::string& each : assignment_.spec.artifacts.dirs) {
    std::string dir = artifacts::normalized_dir(each);
    if (dir != "." && contracts::tree_path_fault(dir).empty()) wanted.push_back(std::move(dir));
  }
  return workspace::free_folders(wanted, taken);
}

contracts::LaunchMount RunLife::workspace_mount() const {
  contracts::LaunchMount mount{folder_.workspace(), std::string(contracts::kSandboxWorkspace),
                               contracts::MountMode::kReadWrite};
  if (record_.layered) {
    mount.lower_path = ports_.trees->files_of(assignment_.workspace_root);
    mount.work_path = folder_.layer_work();
  }
  return mount;
}

// The files as they came, before the command; as it left them, afterwards.
Result<os::Fd> RunLife::open_workspace() const {
  if (!record_.layered) return os::open_root(folder_.workspace());
  if (ports_.trees == nullptr) {
    return Error{Code::kFailedPrecondition, "LAYERS_UNAVAILABLE",
                 "this host cannot show the run's workspace any more"};
  }
  return os::mount_layers(
      {ports_.trees->files_of(assignment_.workspace_root), folder_.workspace(), ""});
}

// Files below an overlay must not be changed while it is mounted. So files for a run with layers
// are written through the run's own view, as the run's user.
Result<WritableWorkspace> RunLife::open_to_write() const {
  WritableWorkspace out{.root = {}, .user = ports_.config.sandbox_uid};
  out.wrote = [counted = counted_](int64_t bytes, int64_t files) { counted->add(bytes, files); };
  const os::FolderUse use = taken_lately();
  const contracts::SandboxLimits& limits = assignment_.policy.limits;
  if (limits.fs_bytes) out.bytes_left = limits.fs_bytes->bytes - use.bytes;
  if (limits.file_count) out.files_left = *limits.file_count - use.files;
  if (!record_.layered) {
    ASSIGN_OR_RETURN(out.root, os::open_root(folder_.workspace()));
    return out;
  }
  const auto launcher = find_lock_holder(launch_files().events);
  if (!launcher)
    return Error{Code::kFailedPrecondition, "RUN_NOT_RUNNING", "the run has just ended"};
  ASSIGN_OR_RETURN(os::SeenFolder seen,
                   os::seen_folder(*launcher, std::string(contracts::kSandboxWorkspace.substr(1))));
  out.root = std::move(seen.folder);
  out.user = seen.user;
  ASSIGN_OR_RETURN(out.measured, os::open_root(folder_.workspace()));
  return out;
}

}  // namespace paddock::executor
