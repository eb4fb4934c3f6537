#include "controller/api/handlers/workspaces.h"

#include "common/contracts/tree_claim.h"
#include "controller/api/handlers/blob_upload.h"
#include "controller/api/handlers/creates.h"
#include "controller/workspaces/trees.h"

namespace paddock::api {

using contracts::Workspace;

Status save_new(store::WriteTxn& txn, Workspace& workspace, WallTime) {
  return txn.create(workspace);
}

Result<Response> recall_workspace_tree(Call& call) {
  ASSIGN_OR_RETURN(const auto claim, wire::decode<contracts::TreeClaim>(call.body));
  ASSIGN_OR_RETURN(const contracts::TreeAnswer answer,
                   workspaces::recall_tree(call.services.store, call.services.blobs,
                                           *call.services.tree_members, call.key(), claim.root));
  return object_response(answer);
}

Result<Response> offer_workspace_tree(Call& call) {
  if (call.body.find("root") != nullptr) return recall_workspace_tree(call);
  ASSIGN_OR_RETURN(const contracts::Tree tree, wire::decode<contracts::Tree>(call.body));
  TRY(call.services.intake.check_room(0));  // a tree is small beside what it names
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
