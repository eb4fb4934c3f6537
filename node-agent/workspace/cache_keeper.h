// The cache that this node keeps for later runs, within the operator's quota: blobs and, where the
// kernel can lay workspaces over them, trees. Thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/base/guarded.h"
#include "common/base/time.h"
#include "common/cas/blob_store.h"
#include "common/wire/units.h"
#include "node-agent/workspace/tree_cache.h"

namespace paddock::workspace {

class CacheKeeper {
 public:
  // In `data_dir`: cas/ and trees/. `sandbox_uid`: who runs commands here, if not we.
  static Result<std::unique_ptr<CacheKeeper>> open(const std::string& data_dir,
                                                   std::optional<uid_t> sandbox_uid,
                                                   wire::Quantity quota);
  const cas::BlobStore& blobs() const { return blobs_; }
  TreeCache* trees() const { return trees_.get(); }  // null: runs get copies
  // Prunes, at most every ten minutes. On a full disk whatever nobody used for an hour goes, within
  // the quota or not. Whether it did.
  bool clean_up(const Clock& clock, bool disk_is_full = false);

 private:
  CacheKeeper(cas::BlobStore blobs, std::unique_ptr<TreeCache> trees, int64_t quota)
      : blobs_(std::move(blobs)), trees_(std::move(trees)), quota_(quota) {}

  const cas::BlobStore blobs_;
  const std::unique_ptr<TreeCache> trees_;
  const int64_t quota_;
  Guarded<std::optional<MonoTime>> last_;
};

}  // namespace paddock::workspace
