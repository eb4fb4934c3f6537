#include "node-agent/executor/volume_step.h"

#include "common/contracts/names.h"
#include "common/contracts/volume.h"
#include "common/os/file.h"
#include "node-agent/executor/phase_timing.h"

namespace paddock::executor {
namespace {

using contracts::MountedVolume;

// Both become parts of paths here.
Status check_volume(const MountedVolume& volume) {
  if (contracts::is_dns_label(volume.name) && contracts::is_digest(volume.root)) return {};
  return Error{Code::kInternal, "ASSIGNMENT_INVALID", "the controller named an impossible volume"};
}

}  // namespace

VolumeStep::VolumeStep(const StepContext& run) : run_(run) {
  if (run.ports.trees == nullptr || run.record.stage == Stage::kEnded) return;
  for (const MountedVolume& each : run.assignment.volumes)
    trees_.emplace_back(*run.ports.trees, each.root);
}

std::string VolumeStep::folder_of(const MountedVolume& volume) const {
  return run_.ports.trees != nullptr ? run_.ports.trees->files_of(volume.root)
                                     : os::join_path(run_.folder.file("volumes"), volume.name);
}

Status VolumeStep::prepare() {
  if (run_.assignment.volumes.empty()) return {};
  PhaseTiming timing(run_.ports.clock, run_.record.timings_ms["volumes"]);
  for (const MountedVolume& volume : run_.assignment.volumes) {
    TRY(check_volume(volume));
    const TreeSource source{volume.root, volume.name};
    TreeNews news;
    TRY((run_.ports.trees != nullptr ? run_.fetch.cache(source, news) : copy(source, volume, news))
            .within(cat("volume ", volume.name)));
    run_.log.say(cat("volume ", volume.name, " version ", volume.version, ": ", news.text()));
  }
  return {};
}

Status VolumeStep::copy(const TreeSource& source, const MountedVolume& volume, TreeNews& news) {
  TRY(os::make_dirs(run_.folder.file("volumes"), 0755));
  ASSIGN_OR_RETURN(const contracts::Tree tree, run_.fetch.fetch(source));
  return run_.fetch.copy(tree, folder_of(volume), news);
}

Status VolumeStep::add(contracts::LaunchRequest& request) {
  for (const MountedVolume& volume : run_.assignment.volumes) {
    request.mounts.push_back({folder_of(volume), cat(contracts::kSandboxVolumes, "/", volume.name),
                              contracts::MountMode::kReadOnly});
  }
  return {};
}

}  // namespace paddock::executor
