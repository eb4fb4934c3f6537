// Keeps what this node caches, blobs and trees, within a size: what was used longest ago goes
// first. Never a tree under a run that has not ended, nor a blob that was used lately and may be on
// its way into one.
#pragma once

#include <cstdint>

#include "common/cas/blob_store.h"
#include "node-agent/workspace/tree_cache.h"

namespace paddock::workspace {

struct CachedThing {
  int64_t size = 0;
  int64_t used_s = 0;
};
// Which things go, as indices, longest unused first: so many that the rest is at most nine tenths
// of `quota`, once all are more than `quota`. What was used after `spare_after_s` stays. Pure.
std::vector<size_t> choose_victims(const std::vector<CachedThing>& things, int64_t quota,
                                   int64_t spare_after_s);

struct Pruned {
  int64_t trees = 0;
  int64_t blobs = 0;
  int64_t bytes = 0;
};
// `trees` may be null. `now_s`: seconds of the system's clock.
Result<Pruned> prune_cache(TreeCache* trees, const cas::BlobStore& store, int64_t quota,
                           int64_t now_s);

}  // namespace paddock::workspace
