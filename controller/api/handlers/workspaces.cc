#include "controller/api/handlers/workspaces.h"

#include "controller/api/handlers/blob_upload.h"
#include "controller/api/handlers/creates.h"
#include "controller/workspaces/trees.h"

namespace paddock::api {

using contracts::Workspace;

namespace {

Status erase_workspace(store::WriteTxn& txn, const Call& call, Workspace& workspace) {
  ASSIGN_OR_RETURN(workspace, txn.get<Workspace>(call.key()));
  TRY(check_preconditions(call.body, workspace.metadata));
  return txn.erase<Workspace>(call.key());
}

}  // namespace

Status save_new(store::WriteTxn& txn, Workspace& workspace, WallTime) {
  return txn.create(workspace);
}

Result<Response> delete_workspace(Call& call) {
  ASSIGN_OR_RETURN(const bool dry_run, wants_dry_run(call.request, call.body));
  Workspace workspace;
  TRY(write_or_try(call.services.store, dry_run,
                   [&](store::WriteTxn& txn) { return erase_workspace(txn, call, workspace); }));
  return json_response(k8s::deleted_status("workspaces", workspace.metadata));
}

Result<Response> offer_workspace_tree(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Tree tree, wire::decode<contracts::Tree>(call.body));
  ASSIGN_OR_RETURN(
      const contracts::TreeAnswer answer,
      workspaces::offer_tree(call.services.store, call.services.blobs, call.key(), tree));
  return object_response(answer);
}

Result<Response> get_workspace_tree(Call& call) {
  ASSIGN_OR_RETURN(const Workspace workspace, read_object<Workspace>(call));
  ASSIGN_OR_RETURN(const contracts::Tree tree,
                   workspaces::stored_tree(call.services.blobs, workspace.status.root));
  return object_response(tree);
}

Result<Response> put_workspace_blob(Call& call) {
  ASSIGN_OR_RETURN(const Workspace workspace, read_object<Workspace>(call));
  return receive_blob(call, cas::Durability::kLater);
}

}  // namespace paddock::api
