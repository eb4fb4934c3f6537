// Trees on this node's disk, each once: the lower layer of every workspace with the same files
// (common/os/overlay.h). Nothing changes them once they are there, and what is pinned stays.
// Thread-safe; one object per folder.
//
//   <dir>/<root>/files/   the tree        <dir>/<root>/info   its files and bytes; written last
//   <dir>/.new-…          being made or removed
//   <dir>/boot            of which boot of the kernel all this is: unlike blobs, trees are not
//                         synchronised with the disk, so that those of an earlier boot are not kept
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "node-agent/workspace/materialize.h"

namespace paddock::workspace {

struct CachedTree {
  std::string root;
  int64_t files = 0;
  int64_t bytes = 0;
  int64_t used_s = 0;  // last use, in seconds of the system's clock
};

class TreeCache {
 public:
  // FailedPrecondition, LAYERS_UNAVAILABLE, where this host cannot lay a workspace over a tree.
  static Result<std::unique_ptr<TreeCache>> open(const std::string& dir,
                                                 std::optional<Owner> owner);

  // While it lives, the tree with this root stays, or will once it is there.
  class Pin {
   public:
    Pin(TreeCache& cache, std::string root);
    ~Pin();
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    TreeCache& cache_;
    std::string root_;
  };

  // What is there of this root, if it is whole; it then counts as used now. Pin it first.
  std::optional<CachedTree> find(const std::string& root);
  // Makes it unless it is there; other callers that want it meanwhile wait. Errors:
  // materialize()'s.
  Result<CachedTree> make(const std::string& root, const contracts::Tree& tree,
                          const cas::BlobStore& store, const std::function<bool()>& interrupted,
                          const Parallel& parallel = {});
  std::string files_of(const std::string& root) const;

  std::vector<CachedTree> list() const;
  // Removes a tree unless it is pinned; says whether it is gone.
  Result<bool> remove(const std::string& root);

 private:
  struct State {
    std::map<std::string, int> pins;
    std::set<std::string> making;
    int64_t next = 0;
  };
  TreeCache(std::string dir, std::optional<Owner> owner) : dir_(std::move(dir)), owner_(owner) {}
  std::optional<CachedTree> read_info(const std::string& root) const;
  Result<CachedTree> fill(const std::string& root, const contracts::Tree& tree,
                          const cas::BlobStore& store, const std::function<bool()>& interrupted,
                          const Parallel& parallel);
  std::string aside();

  const std::string dir_;
  const std::optional<Owner> owner_;
  Guarded<State> state_;
  std::condition_variable changed_;
};

}  // namespace paddock::workspace
