#include "controller/api/handlers/nodes/node_claims.h"

#include <algorithm>
#include <memory>

#include "common/base/log.h"
#include "common/cas/blobs.h"
#include "controller/nodes/report_rules.h"
#include "controller/workspaces/tree_members.h"

namespace paddock::api {
namespace {

using contracts::Run;

// The run that this report ends, if it is heard; else null.
Result<std::shared_ptr<const Run>> ended_run(store::ReadTxn& txn, const std::string& node,
                                             const contracts::RunReport& report) {
  ASSIGN_OR_RETURN(auto run, txn.look_at_run(report.run_uid));
  const bool heard = run && run->status.node_name == node &&
                     run->status.attempt == report.attempt &&
                     !contracts::is_terminal(run->status.phase);
  if (!heard) run.reset();
  return run;
}

// Sent for this run, or the run's own; and as large as it says.
Result<bool> is_proven(const Services& services, store::ReadTxn& txn, const Run& run,
                       const contracts::Artifact& artifact) {
  if (!contracts::is_digest(artifact.digest)) return false;
  ASSIGN_OR_RETURN(bool known, txn.was_sent(run.metadata.uid, artifact.digest));
  if (!known) {
    const Result<bool> named = run_reads(services, run, artifact.digest);
    known = named && *named;  // a tree that cannot be read names nothing
  }
  const Result<int64_t> size = services.blobs.size(artifact.digest);
  // While its storage is away nothing speaks against what is recorded as sent.
  if (!size && size.error().code != Code::kNotFound) return known;
  return known && size && *size == artifact.size;
}

Status judge(const Services& services, store::ReadTxn& txn, const std::string& node,
             contracts::RunReport& report) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const Run> run, ended_run(txn, node, report));
  if (!run) return {};
  nodes::tidy_codes(*report.outcome);
  ASSIGN_OR_RETURN(const size_t dropped,
                   nodes::drop_unproven(*report.outcome, [&](const contracts::Artifact& artifact) {
                     return is_proven(services, txn, *run, artifact);
                   }));
  if (dropped > 0) {
    log_warn("a node named artifacts that it had not sent",
             {{"node", node},
              {"run", cat(run->metadata.name_space, "/", run->metadata.name)},
              {"code", nodes::kArtifactNotSent},
              {"artifacts", std::to_string(dropped)}});
  }
  return {};
}

}  // namespace

Result<bool> run_reads(const Services& services, const Run& run, const contracts::Digest& digest) {
  std::vector<contracts::Digest> roots;
  if (!run.status.workspace_root.empty()) roots.push_back(run.status.workspace_root);
  for (const contracts::MountedVolume& each : run.status.volumes) roots.push_back(each.root);
  for (const contracts::Digest& root : roots) {
    ASSIGN_OR_RETURN(const bool named, services.tree_members->names(services.blobs, root, digest));
    if (named) return true;
  }
  return false;
}

Status check_sent(const Services& services, const Run& run,
                  const std::vector<contracts::Artifact>& items) {
  return services.store.read([&](store::ReadTxn& txn) -> Status {
    for (const contracts::Artifact& each : items) {
      ASSIGN_OR_RETURN(const bool proven, is_proven(services, txn, run, each));
      if (!proven)
        return Error{Code::kNotFound, "BLOB_NOT_FOUND", "a file was named before it was sent"};
    }
    return {};
  });
}

Status judge_claims(const Services& services, const std::string& node,
                    contracts::SyncRequest& request) {
  TRY(nodes::check_output_size(request));
  nodes::bound_node(request);
  for (contracts::RunReport& report : request.runs) nodes::bound_report(report);
  const bool none = std::ranges::none_of(
      request.runs, [](const contracts::RunReport& each) { return each.outcome.has_value(); });
  if (none) return {};
  return services.store.read([&](store::ReadTxn& txn) -> Status {
    for (contracts::RunReport& report : request.runs)
      if (report.outcome) TRY(judge(services, txn, node, report));
    return {};
  });
}

}  // namespace paddock::api
