#include "controller/api/handlers/workspaces.h"

#include "controller/api/handlers/blob_upload.h"
#include "controller/api/handlers/objects.h"
#include "controller/api/idempotency.h"
#include "controller/k8s/objects.h"
#include "controller/workspaces/trees.h"

namespace paddock::api {

using contracts::Workspace;

namespace {

// Stores the workspace, or replaces it by what the same request made before.
Status store_workspace(store::WriteTxn& txn, const IdempotencyKey& key, Workspace& workspace,
                       bool& created) {
  ASSIGN_OR_RETURN(const std::optional<std::string> earlier, earlier_create(txn, key));
  if (earlier) {
    ASSIGN_OR_RETURN(std::optional<Workspace> found,
                     txn.find<Workspace>({workspace.metadata.name_space, *earlier}));
    if (found) {
      workspace = std::move(*found);
      created = false;
      return {};
    }
  }
  TRY(txn.create(workspace));
  return remember_create(txn, key, workspace.metadata.name);
}

Status erase_workspace(store::WriteTxn& txn, const Call& call, Workspace& workspace) {
  ASSIGN_OR_RETURN(workspace, txn.get<Workspace>(call.key()));
  TRY(check_preconditions(call.body, workspace.metadata));
  return txn.erase<Workspace>(call.key());
}

}  // namespace

Result<Response> create_workspace(Call& call) {
  ASSIGN_OR_RETURN(const IdempotencyKey key, idempotency_key(call));
  ASSIGN_OR_RETURN(Workspace workspace, new_object<Workspace>(call));
  bool created = true;
  TRY(call.services.store.write(
      [&](store::WriteTxn& txn) { return store_workspace(txn, key, workspace, created); }));
  return object_response(workspace, created ? 201 : 200);
}

Result<Response> delete_workspace(Call& call) {
  TRY(refuse_dry_run(call.request, call.body));
  Workspace workspace;
  TRY(call.services.store.write(
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
