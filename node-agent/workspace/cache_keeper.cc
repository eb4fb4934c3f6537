#include "node-agent/workspace/cache_keeper.h"

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/workspace/prune.h"

namespace paddock::workspace {
namespace {

constexpr Millis kEvery = std::chrono::minutes(10);

}  // namespace

Result<std::unique_ptr<CacheKeeper>> CacheKeeper::open(const std::string& data_dir,
                                                       std::optional<uid_t> sandbox_uid,
                                                       wire::Quantity quota) {
  ASSIGN_OR_RETURN(cas::BlobStore blobs, cas::BlobStore::open(os::join_path(data_dir, "cas")));
  std::optional<Owner> owner;
  if (sandbox_uid) owner = Owner{*sandbox_uid, *sandbox_uid};
  auto trees = TreeCache::open(os::join_path(data_dir, "trees"), owner);
  if (!trees.ok() && trees.error().reason != "LAYERS_UNAVAILABLE") return std::move(trees).error();
  if (!trees.ok()) {
    log_info("each run gets a copy of its workspace", {{"why", trees.error().message}});
  }
  return std::unique_ptr<CacheKeeper>(
      new CacheKeeper(std::move(blobs), trees.ok() ? std::move(*trees) : nullptr, quota.bytes));
}

bool CacheKeeper::clean_up(const Clock& clock, bool disk_is_full) {
  const MonoTime now = clock.mono();
  const bool due = last_.with([&](std::optional<MonoTime>& last) {
    if (last && now - *last < kEvery) return false;
    last = now;
    return true;
  });
  if (!due) return false;
  if (const Status synced = blobs_.sync(); !synced.ok())
    log_warn("blobs could not be synchronised", {{"error", synced.error().describe()}});
  const int64_t now_s = clock.wall().ms / 1000;
  const auto pruned = prune_cache(trees_.get(), blobs_, disk_is_full ? 0 : quota_, now_s);
  if (!pruned.ok()) {
    log_warn("the node's cache could not be pruned", {{"error", pruned.error().describe()}});
  } else if (pruned->bytes > 0) {
    log_info("pruned the node's cache", {{"trees", std::to_string(pruned->trees)},
                                         {"blobs", std::to_string(pruned->blobs)},
                                         {"bytes", format_bytes(pruned->bytes)}});
  }
  return true;
}

}  // namespace paddock::workspace
