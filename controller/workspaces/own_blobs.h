// The blobs that a namespace may name in a tree: those that it has shown (ShownBlobs), and those
// that its trees name already. All others count as missing, as if they were nowhere, so the
// namespace learns nothing about them. Make one for each request.
#pragma once

#include <optional>
#include <vector>

#include "controller/store/store.h"
#include "controller/workspaces/shown_blobs.h"
#include "controller/workspaces/tree_members.h"

namespace paddock::workspaces {

// Where trees are, and what is known of them.
struct TreeShelf {
  store::Store& store;
  const cas::Blobs& blobs;
  TreeMembers& members;
  ShownBlobs& shown;
  int64_t max_tree = int64_t{32} << 30;  // bytes of all files of a tree
  int64_t max_blob = int64_t{4} << 30;   // bytes of one
};

class OwnBlobs {
 public:
  // For the workspace `key`, whose tree is `root` now (empty: none).
  OwnBlobs(const TreeShelf& shelf, const store::Key& key, const cas::Digest& root);

  // Whether the namespace sent it, or the workspace names it.
  bool at_hand(const cas::Digest& digest) const;
  // The same, or another workspace or a volume of the namespace names it. Some of those are looked
  // at: the first kMostTrees, with kMostEntries files together.
  Result<bool> has(const cas::Digest& digest);

  static constexpr int64_t kMostTrees = 32;
  static constexpr int64_t kMostEntries = 100'000;

 private:
  Status look_around();
  void add_tree(const cas::Digest& root, int64_t files);

  const TreeShelf& shelf_;
  const std::string name_space_;
  TreeMembers::Sorted tree_;
  std::optional<std::vector<TreeMembers::Sorted>> others_;  // once looked for
  int64_t entries_ = 0;                                     // of those
};

}  // namespace paddock::workspaces
