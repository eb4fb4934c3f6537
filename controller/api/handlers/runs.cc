#include "controller/api/handlers/runs.h"

#include "controller/admission/admit.h"
#include "controller/api/handlers/objects.h"
#include "controller/api/idempotency.h"
#include "controller/k8s/objects.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"
#include "controller/volumes/resolve.h"
#include "controller/workspaces/trees.h"

namespace paddock::api {
namespace {

using contracts::Run;
using contracts::Workspace;

constexpr int kNameAttempts = 5;

Error workspace_error(std::string reason, const std::string& message) {
  return {Code::kFailedPrecondition, std::move(reason), message, {{"spec.workspace", message}}};
}

// The root that the run's workspace has now.
Result<std::string> workspace_root(Call& call, const Run& run) {
  std::optional<Workspace> workspace;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
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

// Stores the run, or finds what the same request made before.
Status store_run(Call& call, const IdempotencyKey& key, const Run& admitted, Run& out,
                 bool& created) {
  return call.services.store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const std::optional<std::string> earlier, earlier_create(txn, key));
    if (earlier) {
      ASSIGN_OR_RETURN(std::optional<Run> found,
                       txn.find<Run>({admitted.metadata.name_space, *earlier}));
      if (found) {
        out = std::move(*found);
        created = false;
        return {};
      }
    }
    out = admitted;
    created = true;
    TRY(store::create_run(txn, out, runs::admit(out, call.now())));
    return remember_create(txn, key, out.metadata.name);
  });
}

// What the same request made before, if anything: then nothing else is looked at.
Result<std::optional<Run>> earlier_run(Call& call, const IdempotencyKey& key) {
  std::optional<Run> found;
  if (key.scope.empty()) return found;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const std::optional<std::string> name, earlier_create(txn, key));
    if (!name) return {};
    ASSIGN_OR_RETURN(found, txn.find<Run>({call.param("ns"), *name}));
    return {};
  }));
  return found;
}

Status erase_run(store::WriteTxn& txn, const Call& call, Run& run) {
  ASSIGN_OR_RETURN(run, txn.get<Run>(call.key()));
  TRY(check_preconditions(call.body, run.metadata));
  if (!contracts::is_terminal(run.status.phase)) {
    return Error{Code::kFailedPrecondition, "RUN_ACTIVE",
                 cat("run ", run.metadata.name, " has not ended; cancel it first")};
  }
  txn.touch(store::run_topic(run.metadata.uid));
  return txn.erase<Run>(call.key());
}

}  // namespace

Status admit_run(Call& call, Run& run) {
  admission::AdmissionContext context{call.services.ceilings, call.services.profiles, nullptr};
  contracts::Tree tree;
  if (!run.spec.workspace.empty()) {
    ASSIGN_OR_RETURN(run.status.workspace_root, workspace_root(call, run));
    ASSIGN_OR_RETURN(tree, workspaces::stored_tree(call.services.blobs, run.status.workspace_root));
    context.tree = &tree;
  }
  ASSIGN_OR_RETURN(admission::AdmittedRun admitted, admission::admit(run.spec, context));
  TRY(call.services.store.read(
      [&](store::ReadTxn& txn) { return pin_volumes(txn, run, call.services.volumes); }));
  run.spec = std::move(admitted.spec);
  run.spec.cancel_requested = false;
  run.status.policy = std::move(admitted.policy);
  run.status.environment = std::move(admitted.environment);
  return {};
}

Result<Response> create_run(Call& call) {
  ASSIGN_OR_RETURN(const IdempotencyKey key, idempotency_key(call));
  ASSIGN_OR_RETURN(const std::optional<Run> earlier, earlier_run(call, key));
  if (earlier) return object_response(*earlier);
  ASSIGN_OR_RETURN(Run run, new_object<Run>(call));
  TRY(admit_run(call, run));
  TRY(call.services.reconciler.check_entry(run));
  for (int attempt = 1;; ++attempt) {
    Run stored;
    bool created = false;
    const Status status = store_run(call, key, run, stored, created);
    if (status.ok()) return object_response(stored, created ? 201 : 200);
    const bool made_name =
        !run.metadata.generate_name.empty() && status.error().code == Code::kAlreadyExists;
    if (!made_name || attempt == kNameAttempts) return status.error();
    ASSIGN_OR_RETURN(const Run again, new_object<Run>(call));  // another random name
    run.metadata = again.metadata;
  }
}

Result<Response> delete_run(Call& call) {
  TRY(refuse_dry_run(call.request, call.body));
  Run run;
  TRY(call.services.store.write([&](store::WriteTxn& txn) { return erase_run(txn, call, run); }));
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
