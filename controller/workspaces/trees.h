// A workspace's tree: what of it is missing, storing it, reading it back. The tree's document is a
// blob like any other, its digest the workspace's root. Stored trees never change; a run pins the
// root it was created with. Any thread.
#pragma once

#include <functional>
#include <string>

#include "common/cas/tree.h"
#include "controller/store/store.h"
#include "controller/workspaces/own_blobs.h"
#include "controller/workspaces/tree_change.h"

namespace paddock::workspaces {

// Part of the transaction that gives the workspace other files: what of them is other than it was
// when `was` was its root. That is the one before it, unless others were sent at the same time.
struct FilesChange {
  const contracts::Workspace& workspace;  // as it is now
  contracts::Digest was;                  // empty: it had none
  TreeChange change;
};
using RecordFiles = std::function<Status(store::WriteTxn&, const FilesChange&)>;

// Stores `tree` as the tree of a workspace if all its blobs are here; says which are missing
// otherwise. What the namespace has not shown to have (OwnBlobs) is missing, even if another
// namespace sent it. WORKSPACE_NOT_FOUND; InvalidArgument (TREE_SIZE_MISMATCH) when an entry's size
// is not that of its blob; TooLarge (TREE_TOO_LARGE, BLOB_TOO_LARGE) when all files together have
// more than `max_tree` bytes, or one has more than `max_blob`.
Result<contracts::TreeAnswer> offer_tree(const TreeShelf& shelf, const store::Key& key,
                                         const contracts::Tree& tree,
                                         const RecordFiles& record = {});

// Whether `root` is the tree of a workspace and all its blobs are here; nothing is stored.
// WORKSPACE_NOT_FOUND.
Result<contracts::TreeAnswer> recall_tree(store::Store& store, const cas::Blobs& blobs,
                                          TreeMembers& members, const store::Key& key,
                                          const contracts::Digest& root);

// The tree with this root. NotFound (TREE_NOT_FOUND) if there is none.
Result<contracts::Tree> stored_tree(const cas::Blobs& blobs, const contracts::Digest& root);

}  // namespace paddock::workspaces
