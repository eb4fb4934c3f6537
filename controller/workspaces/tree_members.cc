#include "controller/workspaces/tree_members.h"

#include <algorithm>

#include "controller/workspaces/trees.h"

namespace paddock::workspaces {

using cas::Digest;

Result<bool> TreeMembers::names(const cas::Blobs& blobs, const Digest& root, const Digest& digest) {
  ASSIGN_OR_RETURN(const Sorted digests, of(blobs, root));
  return std::ranges::binary_search(*digests, digest);
}

Result<bool> TreeMembers::all_here(const cas::Blobs& blobs, const Digest& root) {
  ASSIGN_OR_RETURN(const Sorted digests, of(blobs, root));
  return blobs.has(root) &&
         std::ranges::all_of(*digests, [&](const Digest& each) { return blobs.has(each); });
}

Result<TreeMembers::Sorted> TreeMembers::of(const cas::Blobs& blobs, const Digest& root) {
  if (Sorted known = find(root)) return known;
  ASSIGN_OR_RETURN(const contracts::Tree tree, stored_tree(blobs, root));
  std::vector<Digest> sorted;
  sorted.reserve(tree.entries.size());
  for (const contracts::TreeEntry& entry : tree.entries) sorted.push_back(entry.digest);
  std::ranges::sort(sorted);
  Sorted digests = std::make_shared<const std::vector<Digest>>(std::move(sorted));
  keep(root, digests);
  return digests;
}

size_t TreeMembers::entries() const {
  return known_.with([](const std::list<CachedTree>& known) {
    size_t sum = 0;
    for (const CachedTree& each : known) sum += each.digests->size();
    return sum;
  });
}

TreeMembers::Sorted TreeMembers::find(const Digest& root) {
  return known_.with([&](std::list<CachedTree>& known) -> Sorted {
    const auto found = std::ranges::find(known, root, &CachedTree::root);
    if (found == known.end()) return nullptr;
    known.splice(known.begin(), known, found);
    return found->digests;
  });
}

void TreeMembers::keep(const Digest& root, const Sorted& digests) {
  known_.with([&](std::list<CachedTree>& known) {
    std::erase_if(known, [&](const CachedTree& each) { return each.root == root; });
    known.push_front({root, digests});
    size_t sum = 0;
    for (auto each = known.begin(); each != known.end();) {
      sum += each->digests->size();
      const bool fits = each == known.begin() || sum <= max_entries_;
      each = fits ? std::next(each) : known.erase(each);
    }
  });
}

}  // namespace paddock::workspaces
