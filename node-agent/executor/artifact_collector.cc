// The step of RunLife that sends what its command left: after the result, and what it has finished
// while it lives.
#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/os/file.h"
#include "node-agent/executor/phase_timing.h"
#include "node-agent/executor/retrying_transport.h"
#include "node-agent/executor/run_life.h"

namespace paddock::executor {
namespace {

using contracts::RunPhase;
using contracts::SandboxStatus;

constexpr Reason kNoRoom = "NAMESPACE_QUOTA_EXCEEDED";

// The run keeps what else it left.
bool costs_the_file_alone(const Error& named) {
  return is_one_of(named.reason, {"BLOB_TOO_LARGE", kNoRoom, contracts::kDiskFails});
}

// Whoever frees room, or mends the disk, can have the rest by running it again: this is no success.
void tell_of_loss(contracts::RunOutcome& outcome, const Error& named) {
  const bool is_loss = is_one_of(named.reason, {kNoRoom, contracts::kDiskFails});
  if (!is_loss || outcome.phase != RunPhase::kSucceeded) return;
  outcome.phase = RunPhase::kFailed;
  outcome.reason = named.reason;
  outcome.message =
      cat("the command succeeded, but not all of its artifacts could be stored: ", named.message);
}

void leave_out(contracts::Artifact& artifact, const Error& named, artifacts::Collected& from) {
  from.bytes -= artifact.size;
  from.left_out.push_back({std::move(artifact.path), named.message, named.reason});
}

}  // namespace

// The folder of a layered workspace has only the run's own changes. For a copied workspace the tree
// says which files the run was given; if that tree is not here any more, inputs are collected too,
// which costs only time.
artifacts::CollectRequest RunLife::finished_request() {
  artifacts::CollectRequest request{assignment_.spec.artifacts.dirs, artifact_types(), {}};
  const std::string& root = assignment_.workspace_root;
  if (record_.layered || root.empty() || !ports_.store.use(root)) return request;
  if (auto tree = fetch_.fetch(workspace_source())) request.before = *tree;
  return request;
}

// A controller that names no types for compute means the standard ones, and not all.
std::vector<std::string> RunLife::artifact_types() const {
  const bool filtered = assignment_.spec.type == contracts::RunType::kCompute;
  return filtered && assignment_.artifact_types.empty() ? contracts::compute_artifact_types()
                                                        : assignment_.artifact_types;
}

Result<artifacts::CollectRequest> RunLife::collect_request() {
  artifacts::CollectRequest request{assignment_.spec.artifacts.dirs, artifact_types(), {}};
  const bool asks_all = std::ranges::any_of(
      request.dirs, [](const std::string& dir) { return artifacts::normalized_dir(dir) == "."; });
  if (asks_all) {
    ASSIGN_OR_RETURN(request.before, fetch_.fetch(workspace_source(), StopKind::kDetach));
  }
  return request;
}

Status RunLife::send_artifact(int root, const contracts::Artifact& artifact,
                              RunTransport& controller) const {
  ASSIGN_OR_RETURN(const os::Fd file, os::open_regular_beneath(root, artifact.path));
  return controller.upload_artifact(assignment_.run_uid, file.get(), artifact);
}

Status RunLife::collect_artifacts(contracts::RunOutcome& outcome) {
  const auto& dirs = assignment_.spec.artifacts.dirs;
  const bool ran = !outcome.result || outcome.result->status != SandboxStatus::kInternalError;
  if (dirs.empty() || !ran) return {};
  PhaseTiming timing(ports_.clock, record_.timings_ms["artifacts"]);
  if (!record_.layered) (void)os::open_closed_root(folder_.workspace());
  ASSIGN_OR_RETURN(const os::Fd root, open_workspace());
  ASSIGN_OR_RETURN(const artifacts::CollectRequest request, collect_request());
  ASSIGN_OR_RETURN(artifacts::Collected collected,
                   artifacts::collect(root.get(), request, ports_.config.artifacts,
                                      [this] { return leaving(); }));
  if (collected.disk_fault) tell_of_loss(outcome, contracts::name_full_disk(*collected.disk_fault));
  const auto controller = transport(StopKind::kDetach);
  const std::set<std::string> there = finished_.there_already(collected.artifacts, *controller);
  std::vector<contracts::Artifact> sent;
  for (contracts::Artifact& artifact : collected.artifacts) {
    if (there.contains(artifact.path)) {
      sent.push_back(std::move(artifact));
      continue;
    }
    Status status = send_artifact(root.get(), artifact, *controller);
    if (status) {
      sent.push_back(std::move(artifact));
      continue;
    }
    const Error named = contracts::name_full_disk(status.error());
    if (!costs_the_file_alone(named))
      return std::move(status).within(cat("sending ", artifact.path));
    tell_of_loss(outcome, named);
    leave_out(artifact, named, collected);
  }
  collected.artifacts = std::move(sent);
  say(cat("artifacts: ",
          files_and_bytes(static_cast<int64_t>(collected.artifacts.size()), collected.bytes),
          collected.left_out.empty() ? "" : cat(" (", collected.left_out.size(), " left out)")));
  outcome.artifacts = std::move(collected.artifacts);
  outcome.left_out = std::move(collected.left_out);
  return {};
}

}  // namespace paddock::executor
