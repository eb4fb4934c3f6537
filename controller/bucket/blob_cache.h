// The blobs of a bucket that are also on this host's disk: those on their way to the bucket, and
// those that were read lately. It is bounded: the blob that was not used for longest goes first.
// Small blobs go last of all, since trees are among them and are read within transactions.
// Thread-safe.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "common/cas/blob_store.h"

namespace paddock::bucket {

struct CacheLimits {
  int64_t bytes = int64_t{10} << 30;      // all of them together
  int64_t min_free = int64_t{256} << 20;  // of the disk
};

// Pure: which of `blobs` go so that `bytes` come free, in this order; all if that is not enough.
std::vector<cas::Digest> choose_to_drop(std::vector<cas::Blobs::Stored> blobs, int64_t bytes);

class BlobCache {
 public:
  static Result<std::unique_ptr<BlobCache>> open(const std::string& folder,
                                                 const CacheLimits& limits);
  // A cache that somebody emptied while it was in use begins anew.
  const cas::BlobStore& store() const;
  // Opens a blob that was put here just now. Unavailable (BLOB_CACHE_FULL) if other blobs have
  // taken its room since.
  Result<os::Fd> open_new(const cas::Digest& digest) const;
  // Drops others until `bytes` more fit. False if the disk has no room for them all the same.
  bool make_room(int64_t bytes);
  int64_t used() const { return used_before_ + store_.growth(); }

 private:
  BlobCache(cas::BlobStore store, std::string folder, const CacheLimits& limits, int64_t used)
      : store_(std::move(store)), folder_(std::move(folder)), limits_(limits), used_before_(used) {}
  int64_t missing(int64_t bytes) const;
  int64_t free_bytes() const;

  const cas::BlobStore store_;
  const std::string folder_;
  const CacheLimits limits_;
  const int64_t used_before_;
  std::mutex one_;  // chooses at a time
};

}  // namespace paddock::bucket
