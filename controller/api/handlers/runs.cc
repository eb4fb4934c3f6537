#include "controller/api/handlers/runs.h"

#include "controller/admission/admit.h"
#include "controller/api/handlers/creates.h"
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
  return workspace->status.root;
}

Status pin_volumes(store::ReadTxn& txn, Run& run, const volumes::VolumeLimits& limits) {
  TRY(volumes::check_room(txn, run, limits));
  ASSIGN_OR_RETURN(run.status.volumes, volumes::resolve(txn, run));
  return {};
}

Status erase_run(store::WriteTxn& txn, const Call& call, Run& run) {
  ASSIGN_OR_RETURN(run, txn.get<Run>(call.key()));
  TRY(check_preconditions(call.body, run.metadata));
  if (!contracts::is_terminal(run.status.phase)) {
    const std::string message = cat("run ", run.metadata.name, " has not ended; cancel it first");
    return Error{Code::kFailedPrecondition, "RUN_ACTIVE", message, {{"status.phase", message}}};
  }
  txn.touch(store::run_topic(run.metadata.uid));
  return txn.erase<Run>(call.key());
}

}  // namespace

Status admit_run(Services& services, Run& run) {
  admission::AdmissionContext context{services.ceilings, services.profiles, nullptr};
  contracts::Tree tree;
  if (!run.spec.workspace.empty()) {
    ASSIGN_OR_RETURN(run.status.workspace_root, workspace_root(services, run));
    ASSIGN_OR_RETURN(tree, workspaces::stored_tree(services.blobs, run.status.workspace_root));
    context.tree = &tree;
  }
  ASSIGN_OR_RETURN(admission::AdmittedRun admitted, admission::admit(run.spec, context));
  TRY(services.store.read(
      [&](store::ReadTxn& txn) { return pin_volumes(txn, run, services.volumes); }));
  run.spec = std::move(admitted.spec);
  run.spec.cancel_requested = false;
  run.status.policy = std::move(admitted.policy);
  run.status.environment = std::move(admitted.environment);
  return {};
}

Status prepare_new(Services& services, Run& run) {
  TRY(admit_run(services, run));
  return services.reconciler.check_entry(run);
}

Status save_new(store::WriteTxn& txn, Run& run, WallTime now) {
  runs::Events events = runs::admit(run, now);
  return store::create_run(txn, run, std::move(events));
}

Result<Response> delete_run(Call& call) {
  ASSIGN_OR_RETURN(const bool dry_run, wants_dry_run(call.request, call.body));
  Run run;
  TRY(write_or_try(call.services.store, dry_run,
                   [&](store::WriteTxn& txn) { return erase_run(txn, call, run); }));
  return json_response(k8s::deleted_status("runs", run.metadata));
}

Result<Response> cancel_run(Call& call) {
  Run run;
  TRY(call.services.store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(run, txn.get<Run>(call.key()));
    runs::Events events = runs::request_cancel(run, call.now());
    return store::save_run(txn, run, std::move(events));
  }));
  return object_response(run);
}

}  // namespace paddock::api
