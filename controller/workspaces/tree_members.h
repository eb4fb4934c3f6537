// Remembers which blobs a stored tree names: a node asks once per blob, and reading a tree of ten
// thousand entries each time would make its first fetch quadratic. Stored trees never change, so
// what is remembered is never wrong. Any thread.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include "common/base/guarded.h"
#include "common/cas/blobs.h"

namespace paddock::workspaces {

class TreeMembers {
 public:
  // Remembers the trees used last, at most so many entries together (about 100 bytes each); the
  // newest one whatever its size.
  explicit TreeMembers(size_t max_entries = 400'000) : max_entries_(max_entries) {}

  // Whether the tree `root` names the blob. As stored_tree() when there is no such tree.
  Result<bool> names(const cas::Blobs& blobs, const cas::Digest& root, const cas::Digest& digest);
  // Whether every blob of the tree `root` is here. As stored_tree() when there is no such tree.
  Result<bool> all_here(const cas::Blobs& blobs, const cas::Digest& root);
  // The digests that the tree `root` names. As stored_tree() when there is no such tree.
  using Sorted = std::shared_ptr<const std::vector<cas::Digest>>;
  Result<Sorted> of(const cas::Blobs& blobs, const cas::Digest& root);
  size_t entries() const;  // remembered now

 private:
  struct CachedTree {
    cas::Digest root;
    Sorted digests;
  };
  Sorted find(const cas::Digest& root);
  void keep(const cas::Digest& root, const Sorted& digests);

  size_t max_entries_;
  Guarded<std::list<CachedTree>> known_;  // used last first
};

}  // namespace paddock::workspaces
