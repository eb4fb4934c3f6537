// Remembers which blobs a namespace has shown to have since the start: those that were sent to it,
// and those that its runs left. All namespaces share one store and a digest is no secret, so a
// namespace may name in a tree only blobs that it has shown. If this forgets one, the blob is only
// sent again. Any thread.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "common/base/guarded.h"
#include "common/contracts/tree.h"

namespace paddock::workspaces {

class ShownBlobs {
 public:
  // For each namespace, at least the newest `generation` blobs are kept, as many as a tree has
  // entries, and at most twice as many. Together, all namespaces keep `most` (about 150 bytes
  // each): the namespace that holds most forgets first, so none can make another forget by sending
  // much.
  explicit ShownBlobs(size_t generation = 100'000, size_t most = 400'000)
      : generation_(generation), most_(most) {}

  void add(const std::string& name_space, const contracts::Digest& digest);
  bool has(const std::string& name_space, const contracts::Digest& digest) const;
  size_t size() const;

 private:
  struct Generations {
    std::set<contracts::Digest> young;
    std::set<contracts::Digest> old;
    size_t size() const { return young.size() + old.size(); }
  };
  struct Table {
    std::map<std::string, Generations> namespaces;
    size_t size = 0;
  };
  static void forget_some(Table& known);

  size_t generation_;
  size_t most_;
  Guarded<Table> known_;
};

}  // namespace paddock::workspaces
