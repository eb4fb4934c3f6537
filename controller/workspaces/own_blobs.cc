#include "controller/workspaces/own_blobs.h"

#include <algorithm>

namespace paddock::workspaces {
namespace {

using cas::Digest;

bool names(const TreeMembers::Sorted& tree, const Digest& digest) {
  return tree != nullptr && std::ranges::binary_search(*tree, digest);
}

// A tree that cannot be read names nothing: its files are sent again, and that mends it.
TreeMembers::Sorted tree_of(const TreeShelf& shelf, const Digest& root) {
  if (root.empty()) return nullptr;
  Result<TreeMembers::Sorted> tree = shelf.members.of(shelf.blobs, root);
  return tree ? std::move(*tree) : nullptr;
}

}  // namespace

OwnBlobs::OwnBlobs(const TreeShelf& shelf, const store::Key& key, const Digest& root)
    : shelf_(shelf), name_space_(key.name_space), tree_(tree_of(shelf, root)) {}

bool OwnBlobs::at_hand(const Digest& digest) const {
  return names(tree_, digest) || shelf_.shown.has(name_space_, digest);
}

// Nothing here asks the store of all namespaces for the blob, so not even the time that an answer
// takes tells whether another namespace has it.
Result<bool> OwnBlobs::has(const Digest& digest) {
  if (at_hand(digest)) return true;
  if (!others_) TRY(look_around());
  return std::ranges::any_of(*others_, [&](const auto& tree) { return names(tree, digest); });
}

Status OwnBlobs::look_around() {
  store::Page<contracts::Workspace> workspaces;
  store::Page<contracts::Volume> volumes;
  store::ListOptions options;
  options.name_space = name_space_;
  options.limit = kMostTrees;
  options.leave_out = true;  // what it names is sent again
  TRY(shelf_.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(workspaces, txn.list<contracts::Workspace>(options));
    ASSIGN_OR_RETURN(volumes, txn.list<contracts::Volume>(options));
    return {};
  }));
  others_.emplace();
  for (const contracts::Workspace& each : workspaces.items)
    add_tree(each.status.root, each.status.files);
  for (const contracts::Volume& each : volumes.items) {
    if (each.status.versions.empty()) continue;
    const contracts::VolumeVersion& newest = each.status.versions.back();
    add_tree(newest.root, newest.files);
  }
  return {};
}

void OwnBlobs::add_tree(const Digest& root, int64_t files) {
  if (std::ssize(*others_) >= kMostTrees || files > kMostEntries - entries_) return;
  TreeMembers::Sorted tree = tree_of(shelf_, root);
  if (tree == nullptr) return;
  entries_ += std::ssize(*tree);
  others_->push_back(std::move(tree));
}

}  // namespace paddock::workspaces
