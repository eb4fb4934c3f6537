#include "node-agent/workspace/prune.h"

#include <algorithm>
#include <numeric>

namespace paddock::workspace {
namespace {

constexpr int64_t kSpareS = 3600;  // longer than any preparation takes from a look to its use

}  // namespace

std::vector<size_t> choose_victims(const std::vector<CachedThing>& things, int64_t quota,
                                   int64_t spare_after_s) {
  int64_t total = 0;
  for (const CachedThing& each : things) total += each.size;
  std::vector<size_t> out;
  if (total <= quota) return out;
  std::vector<size_t> order(things.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return things[i].used_s; });
  for (const size_t i : order) {
    if (total <= quota / 10 * 9 || things[i].used_s > spare_after_s) break;
    total -= things[i].size;
    out.push_back(i);
  }
  return out;
}

Result<Pruned> prune_cache(TreeCache* trees, const cas::BlobStore& store, int64_t quota,
                           int64_t now_s) {
  const std::vector<CachedTree> cached = trees ? trees->list() : std::vector<CachedTree>();
  ASSIGN_OR_RETURN(const std::vector<cas::BlobStore::Stored> blobs, store.list());
  std::vector<CachedThing> things;
  for (const CachedTree& each : cached) things.push_back({each.bytes, each.used_s});
  for (const auto& each : blobs) things.push_back({each.size, each.used_s});
  Pruned out;
  const int64_t spare_after_s = now_s - kSpareS;
  for (const size_t i : choose_victims(things, quota, spare_after_s)) {
    const bool is_tree = i < cached.size();
    ASSIGN_OR_RETURN(const bool gone,
                     is_tree ? trees->remove(cached[i].root)
                             : store.remove_unused(blobs[i - cached.size()].digest, spare_after_s));
    if (!gone) continue;
    ++(is_tree ? out.trees : out.blobs);
    out.bytes += things[i].size;
  }
  return out;
}

}  // namespace paddock::workspace
