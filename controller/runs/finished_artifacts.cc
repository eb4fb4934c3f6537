#include "controller/runs/finished_artifacts.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/tree_path.h"

namespace paddock::runs {
namespace {

using contracts::Artifact;

Status check_fence(const contracts::RunStatus& status, int64_t attempt) {
  if (contracts::is_terminal(status.phase))
    return Error{Code::kFailedPrecondition, "RUN_FINISHED", "the run has ended already"};
  if (status.attempt != attempt || status.phase == contracts::RunPhase::kPending)
    return Error{Code::kConflict, "STALE_ATTEMPT", "this is not the run's current attempt"};
  return {};
}

Status check_artifact(const Artifact& artifact) {
  std::string fault = contracts::tree_path_fault(artifact.path);
  if (fault.empty() && !contracts::is_digest(artifact.digest)) fault = "has no digest";
  if (fault.empty()) return {};
  return invalid_argument("ARTIFACT_INVALID", cat("a file that came back ", fault), "items");
}

// The list may be too long already, from an earlier attempt. That is no error as long as nothing is
// added.
Status check_size(const std::vector<Artifact>& all, size_t before) {
  if (all.size() == before) return {};
  size_t names = 0;
  for (const Artifact& each : all) names += each.path.size();
  if (all.size() <= contracts::kMaxFinishedArtifacts && names <= contracts::kMaxFinishedNames)
    return {};
  return Error{Code::kTooLarge, "TOO_MANY_ARTIFACTS",
               cat("a run shows at most ", contracts::kMaxFinishedArtifacts,
                   " files before its end; the others come then")};
}

}  // namespace

Status add_finished(contracts::Run& run, const contracts::FinishedArtifacts& finished) {
  TRY(check_fence(run.status, finished.attempt));
  std::vector<Artifact> all = run.status.artifacts;
  std::ranges::sort(all, {}, &Artifact::path);
  for (const Artifact& each : finished.items) {
    TRY(check_artifact(each));
    const auto at = std::ranges::lower_bound(all, each.path, {}, &Artifact::path);
    if (at != all.end() && at->path == each.path) {
      *at = each;
    } else {
      all.insert(at, each);
    }
  }
  TRY(check_size(all, run.status.artifacts.size()));
  run.status.artifacts = std::move(all);
  return {};
}

}  // namespace paddock::runs
