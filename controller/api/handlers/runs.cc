#include "controller/api/handlers/runs.h"

#include "controller/admission/admit.h"
#include "controller/api/handlers/creates.h"
#include "controller/api/handlers/grants.h"
#include "controller/api/handlers/tool_bundles.h"
#include "controller/projects/files.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"
#include "controller/volumes/resolve.h"
#include "controller/workspaces/trees.h"

namespace paddock::api {
namespace {

using contracts::Run;
using contracts::Workspace;

Error workspace_error(std::string reason, const std::string& message) {
  return {Code::kFailedPrecondition, std::move(reason), message, {{"spec.workspace", message}}};
}

// The run was meant for the files that its caller uploaded, not for what another has put there
// since.
Status check_meant(const Run& run, const std::string& root) {
  if (run.spec.workspace_root.empty() || run.spec.workspace_root == root) return {};
  const std::string message = cat(
      "workspace ", run.spec.workspace,
      " holds other files than those with this digest; upload them again and create the run then");
  return Error{Code::kConflict, "WORKSPACE_CHANGED", message, {{"spec.workspaceRoot", message}}};
}

Status check_root_of_none(const Run& run) {
  if (run.spec.workspace_root.empty()) return {};
  return invalid_argument("INVALID_FIELD", "a run without a workspace has no root; leave it out",
                          "spec.workspaceRoot");
}

// The root that the run's workspace has now.
Result<std::string> workspace_root(Services& services, const Run& run) {
  std::optional<Workspace> workspace;
  TRY(services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(workspace, txn.find<Workspace>({run.metadata.name_space, run.spec.workspace}));
    return {};
  }));
  if (!workspace)
    return workspace_error("WORKSPACE_NOT_FOUND", cat("there is no workspace ", run.spec.workspace,
                                                      " in this namespace; create it first"));
  if (workspace->status.root.empty()) {
    return workspace_error("WORKSPACE_EMPTY", cat("workspace ", run.spec.workspace,
                                                  " has no files yet; upload its tree first"));
  }
  TRY(check_meant(run, workspace->status.root));
  return workspace->status.root;
}

Status pin_volumes(store::ReadTxn& txn, Run& run, const volumes::VolumeLimits& limits) {
  TRY(volumes::check_room(txn, run, limits));
  ASSIGN_OR_RETURN(run.status.volumes, volumes::resolve(txn, run));
  return {};
}

Status mark_cancelled(store::WriteTxn& txn, const Call& call, Run& run) {
  ASSIGN_OR_RETURN(run, txn.get<Run>(call.key()));
  const bool asked = run.spec.cancel_requested || contracts::is_terminal(run.status.phase);
  TRY(store::save_run(txn, run, runs::request_cancel(run, call.now())));
  return asked ? Status() : record(txn, call, contracts::audit::kRunCancel, "runs", run.metadata);
}

}  // namespace

Status admit_run(Services& services, Run& run, const contracts::MediaExecution& media) {
  admission::AdmissionContext context{services.ceilings, services.profiles, nullptr};
  contracts::Tree tree;
  if (run.spec.workspace.empty()) {
    TRY(check_root_of_none(run));
  } else {
    ASSIGN_OR_RETURN(run.status.workspace_root, workspace_root(services, run));
    ASSIGN_OR_RETURN(tree, workspaces::stored_tree(services.blobs, run.status.workspace_root));
    context.tree = &tree;
    if (const auto entry = projects::entry_file(tree))
      run.status.preview_url = {
          projects::raw_url(run.metadata.name_space, run.spec.workspace, *entry)};
  }
  ASSIGN_OR_RETURN(admission::AdmittedRun admitted, admission::admit(run.spec, media, context));
  TRY(services.store.read(
      [&](store::ReadTxn& txn) { return pin_volumes(txn, run, services.volumes); }));
  run.spec = std::move(admitted.spec);
  run.spec.cancel_requested = false;
  run.status.policy = std::move(admitted.policy);
  run.status.environment = std::move(admitted.environment);
  return services.store.read(
      [&](store::ReadTxn& txn) { return pin_grants(txn, run, services.clock.wall()); });
}

Status prepare_new(Services& services, Run& run) {
  TRY(admit_run(services, run, admission::wanted_media(run.spec)));
  show_summary_only(run);
  return services.reconciler.check_entry(run);
}

Status save_new(store::WriteTxn& txn, Run& run, WallTime now) {
  runs::Events events = runs::admit(run, now);
  const auto bundle = std::exchange(run.spec.tool_bundle, std::nullopt);
  TRY(store::create_run(txn, run, std::move(events)));
  return bundle ? keep_bundle(txn, run, *bundle) : Status();
}

Status prepare_delete(store::WriteTxn& txn, const Run& run, WallTime) {
  if (!contracts::is_terminal(run.status.phase)) {
    const std::string message = cat("run ", run.metadata.name, " has not ended; cancel it first");
    return Error{Code::kFailedPrecondition, "RUN_ACTIVE", message, {{"status.phase", message}}};
  }
  txn.touch(store::run_topic(run.metadata.uid));
  return {};
}

Result<Response> cancel_run(Call& call) {
  Run run;
  TRY(call.services.store.write(
      [&](store::WriteTxn& txn) { return mark_cancelled(txn, call, run); }));
  return object_response(run);
}

}  // namespace paddock::api
