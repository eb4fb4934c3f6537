// The step of RunLife that brings the run's volumes here. Nobody may write to them: with a cache of
// trees every run sees the same files, without one each run gets a copy.
#include "common/contracts/names.h"
#include "common/contracts/volume.h"
#include "common/os/file.h"
#include "node-agent/executor/phase_timing.h"
#include "node-agent/executor/run_life.h"

namespace paddock::executor {
namespace {

using contracts::MountedVolume;

// Both become parts of paths here.
Status check_volume(const MountedVolume& volume) {
  if (contracts::is_dns_label(volume.name) && contracts::is_digest(volume.root)) return {};
  return Error{Code::kInternal, "ASSIGNMENT_INVALID", "the controller named an impossible volume"};
}

}  // namespace

std::string RunLife::volume_folder(const MountedVolume& volume) const {
  return ports_.trees != nullptr ? ports_.trees->files_of(volume.root)
                                 : os::join_path(folder_.file("volumes"), volume.name);
}

Status RunLife::fetch_volumes() {
  if (assignment_.volumes.empty()) return {};
  PhaseTiming timing(ports_.clock, record_.timings_ms["volumes"]);
  for (const MountedVolume& volume : assignment_.volumes) {
    TRY(check_volume(volume));
    const TreeSource source{volume.root, volume.name};
    TreeNews news;
    TRY((ports_.trees != nullptr ? fetch_.cache(source, news) : copy_volume(source, volume, news))
            .within(cat("volume ", volume.name)));
    say(cat("volume ", volume.name, " version ", volume.version, ": ", news.text()));
  }
  return {};
}

Status RunLife::copy_volume(const TreeSource& source, const MountedVolume& volume, TreeNews& news) {
  TRY(os::make_dirs(folder_.file("volumes"), 0755));
  ASSIGN_OR_RETURN(const contracts::Tree tree, fetch_.fetch(source));
  return fetch_.copy(tree, volume_folder(volume), news);
}

std::vector<contracts::LaunchMount> RunLife::volume_mounts() const {
  std::vector<contracts::LaunchMount> mounts;
  for (const MountedVolume& volume : assignment_.volumes) {
    mounts.push_back(contracts::LaunchMount{volume_folder(volume),
                                            cat(contracts::kSandboxVolumes, "/", volume.name),
                                            contracts::MountMode::kReadOnly});
  }
  return mounts;
}

}  // namespace paddock::executor
