#include "node-agent/executor/artifact_collector.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/os/file.h"
#include "node-agent/executor/phase_timing.h"

namespace paddock::executor {
namespace {

using contracts::RunPhase;
using contracts::SandboxStatus;

constexpr Reason kNoRoom = "NAMESPACE_QUOTA_EXCEEDED";

// The run keeps what else it left.
bool costs_the_file_alone(const Error& named) {
  return is_one_of(named.reason, {"BLOB_TOO_LARGE", kNoRoom, contracts::kDiskFails});
}

// A success whose artifacts could not all be stored becomes a failure: once there is room, or the
// disk is mended, the run can be repeated to get them.
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

void ArtifactCollector::send_finished(StopSignal& over) {
  finished_.send(request_for_finished(), over);
}

// The folder of a layered workspace has only the run's own changes. For a copied workspace the tree
// says which files the run was given; if that tree is not here any more, inputs are collected too,
// which costs only time.
artifacts::CollectRequest ArtifactCollector::request_for_finished() {
  artifacts::CollectRequest request{run_.assignment.spec.artifacts.dirs, types(), {}};
  const std::string& root = run_.assignment.workspace_root;
  if (run_.record.layered || root.empty() || !run_.ports.store.use(root)) return request;
  if (auto tree = run_.fetch.fetch(workspace_.source())) request.before = *tree;
  return request;
}

// A controller that names no types for compute means the standard ones, and not all.
std::vector<std::string> ArtifactCollector::types() const {
  const contracts::Assignment& run = run_.assignment;
  const bool filtered = run.spec.type == contracts::RunType::kCompute;
  return filtered && run.artifact_types.empty() ? contracts::compute_artifact_types()
                                                : run.artifact_types;
}

Result<artifacts::CollectRequest> ArtifactCollector::request_for_all() {
  artifacts::CollectRequest request{run_.assignment.spec.artifacts.dirs, types(), {}};
  const bool asks_all = std::ranges::any_of(
      request.dirs, [](const std::string& dir) { return artifacts::normalized_dir(dir) == "."; });
  if (asks_all) {
    ASSIGN_OR_RETURN(request.before, run_.fetch.fetch(workspace_.source(), StopKind::kDetach));
  }
  return request;
}

Status ArtifactCollector::collect(contracts::RunOutcome& outcome) {
  const bool ran = !outcome.result || outcome.result->status != SandboxStatus::kInternalError;
  if (!wanted() || !ran) return {};
  PhaseTiming timing(run_.ports.clock, run_.record.timings_ms["artifacts"]);
  if (!run_.record.layered) (void)os::open_closed_root(run_.folder.workspace());
  ASSIGN_OR_RETURN(const os::Fd root, workspace_.open());
  ASSIGN_OR_RETURN(const artifacts::CollectRequest request, request_for_all());
  ASSIGN_OR_RETURN(artifacts::Collected collected,
                   artifacts::collect(root.get(), request, run_.ports.config.artifacts,
                                      [this] { return run_.stop.at_least(StopKind::kDetach); }));
  if (collected.disk_fault) tell_of_loss(outcome, contracts::name_full_disk(*collected.disk_fault));
  TRY(send_all(root.get(), collected, outcome));
  run_.log.say(
      cat("artifacts: ",
          files_and_bytes(static_cast<int64_t>(collected.artifacts.size()), collected.bytes),
          collected.left_out.empty() ? "" : cat(" (", collected.left_out.size(), " left out)")));
  outcome.artifacts = std::move(collected.artifacts);
  outcome.left_out = std::move(collected.left_out);
  return {};
}

// Sends the files that the controller does not have. A file that it refuses, or that the disk does
// not give, is left out by name.
Status ArtifactCollector::send_all(int root, artifacts::Collected& collected,
                                   contracts::RunOutcome& outcome) {
  const auto controller = run_.transport(StopKind::kDetach);
  const std::set<std::string> there = finished_.there_already(collected.artifacts, *controller);
  std::vector<contracts::Artifact> sent;
  for (contracts::Artifact& artifact : collected.artifacts) {
    Status status = there.contains(artifact.path) ? Status() : send(root, artifact, *controller);
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
  return {};
}

Status ArtifactCollector::send(int root, const contracts::Artifact& artifact,
                               RunTransport& controller) const {
  ASSIGN_OR_RETURN(const os::Fd file, os::open_regular_beneath(root, artifact.path));
  return controller.upload_artifact(run_.assignment.run_uid, file.get(), artifact);
}

}  // namespace paddock::executor
