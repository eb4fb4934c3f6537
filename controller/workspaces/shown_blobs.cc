#include "controller/workspaces/shown_blobs.h"

#include <algorithm>
#include <utility>

namespace paddock::workspaces {

using contracts::Digest;

void ShownBlobs::add(const std::string& name_space, const Digest& digest) {
  known_.with([&](Table& known) {
    Generations& mine = known.namespaces[name_space];
    if (!mine.young.insert(digest).second) return;
    ++known.size;
    if (mine.young.size() >= generation_) {
      known.size -= mine.old.size();
      mine.old = std::exchange(mine.young, {});
    }
    while (known.size > most_) forget_some(known);
  });
}

bool ShownBlobs::has(const std::string& name_space, const Digest& digest) const {
  return known_.with([&](const Table& known) {
    const auto mine = known.namespaces.find(name_space);
    return mine != known.namespaces.end() &&
           (mine->second.young.contains(digest) || mine->second.old.contains(digest));
  });
}

size_t ShownBlobs::size() const {
  return known_.with([](const Table& known) { return known.size; });
}

// The older half of the namespace that holds most.
void ShownBlobs::forget_some(Table& known) {
  const auto largest = std::ranges::max_element(
      known.namespaces, {}, [](const auto& each) { return each.second.size(); });
  Generations& theirs = largest->second;
  std::set<Digest>& half = theirs.old.empty() ? theirs.young : theirs.old;
  known.size -= half.size();
  half.clear();
  if (theirs.size() == 0) known.namespaces.erase(largest);
}

}  // namespace paddock::workspaces
