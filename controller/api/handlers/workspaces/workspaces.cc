#include "controller/api/handlers/workspaces/workspaces.h"

#include <set>

#include "common/cas/blobs.h"
#include "common/contracts/tree_claim.h"
#include "controller/api/handlers/workspaces/workspace_kind.h"
#include "controller/api/objects/creates.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/blob_upload.h"
#include "controller/workspaces/blob_intake.h"
#include "controller/workspaces/shown_blobs.h"
#include "controller/workspaces/stored_bytes.h"
#include "controller/workspaces/tree_members.h"
#include "controller/workspaces/trees.h"

namespace paddock::api {

using contracts::Workspace;

namespace {

workspaces::TreeShelf shelf_of(Services& services) {
  return {services.store,
          services.blobs,
          *services.tree_members,
          *services.shown_blobs,
          services.intake.limits().max_tree,
          services.intake.limits().max_blob};
}

Status record_files(store::WriteTxn& txn, const Call& call, const workspaces::FilesChange& change) {
  auto details = workspaces::details_of(change.change);
  const Workspace& now = change.workspace;
  details["root"] = now.status.root;
  details["files"] = std::to_string(now.status.files);
  details["bytes"] = std::to_string(now.status.bytes);
  if (!change.was.empty()) details["was"] = change.was;
  return record(txn, call, contracts::audit::kWorkspaceWrite, "workspaces", now.metadata,
                std::move(details));
}

// How many bytes are to be sent: a client whose files have no room is told before it sends the
// first one.
int64_t bytes_of(const std::vector<contracts::Digest>& missing, const contracts::Tree& tree) {
  std::set<std::string_view> wanted(missing.begin(), missing.end());
  int64_t bytes = 0;
  for (const contracts::TreeEntry& entry : tree.entries)
    if (wanted.erase(entry.digest) > 0) bytes += entry.size;
  return bytes;
}

}  // namespace

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
  ASSIGN_OR_RETURN(const auto room, call.services.stored->take(call.param("ns"), 0));
  ASSIGN_OR_RETURN(const contracts::TreeAnswer answer,
                   workspaces::offer_tree(shelf_of(call.services), call.key(), tree,
                                          [&](store::WriteTxn& txn, const auto& change) {
                                            return record_files(txn, call, change);
                                          }));
  TRY(call.services.stored->take(call.param("ns"), bytes_of(answer.missing, tree)));
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
  const workspaces::TreeShelf shelf = shelf_of(call.services);
  const workspaces::OwnBlobs own(shelf, call.key(), workspace.status.root);
  return receive_blob(call, call.param("ns"), cas::Durability::kLater,
                      own.at_hand(call.param("digest")));
}

Result<Response> send_workspace_blobs(Call& call) {
  ASSIGN_OR_RETURN(const Workspace workspace, read_object<Workspace>(call));
  const workspaces::TreeShelf shelf = shelf_of(call.services);
  const workspaces::OwnBlobs own(shelf, call.key(), workspace.status.root);
  return receive_bundle(call, call.param("ns"),
                        [&](const cas::Digest& digest) { return own.at_hand(digest); });
}

}  // namespace paddock::api
