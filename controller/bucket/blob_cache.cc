#include "controller/bucket/blob_cache.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "common/base/log.h"

namespace paddock::bucket {
namespace {

constexpr int64_t kSmall = 256 << 10;

}  // namespace

const cas::BlobStore& BlobCache::store() const {
  if (!store_.is_there()) {
    const Status made = store_.make_folder();
    if (!made.ok())
      log_error("the cache of the bucket cannot be made", {{"error", made.error().describe()}});
  }
  return store_;
}

Result<os::Fd> BlobCache::open_new(const cas::Digest& digest) const {
  Result<os::Fd> file = store_.open_blob(digest);
  if (file || file.error().code != Code::kNotFound) return file;
  return Error{
      Code::kUnavailable, "BLOB_CACHE_FULL",
      "the controller's disk has no room for all files on their way to or from the bucket"};
}

std::vector<cas::Digest> choose_to_drop(std::vector<cas::Blobs::Stored> blobs, int64_t bytes) {
  std::ranges::sort(blobs, {}, [](const cas::Blobs::Stored& each) {
    return std::tuple(each.size <= kSmall, each.used_s, each.digest);
  });
  std::vector<cas::Digest> out;
  for (const cas::Blobs::Stored& each : blobs) {
    if (bytes <= 0) break;
    bytes -= each.size;
    out.push_back(each.digest);
  }
  return out;
}

Result<std::unique_ptr<BlobCache>> BlobCache::open(const std::string& folder,
                                                   const CacheLimits& limits) {
  ASSIGN_OR_RETURN(cas::BlobStore store, cas::BlobStore::open(folder));
  ASSIGN_OR_RETURN(const std::vector<cas::Blobs::Stored> all, store.list());
  int64_t used = 0;
  for (const cas::Blobs::Stored& each : all) used += each.size;
  return std::unique_ptr<BlobCache>(new BlobCache(std::move(store), folder, limits, used));
}

int64_t BlobCache::free_bytes() const {
  struct statvfs disk = {};
  if (::statvfs(folder_.c_str(), &disk) != 0) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
}

// How many bytes have to be dropped so that `bytes` more fit.
int64_t BlobCache::missing(int64_t bytes) const {
  const int64_t over = used() + bytes - limits_.bytes;
  const int64_t short_of_disk = limits_.min_free + bytes - free_bytes();
  return std::max(over, short_of_disk);
}

bool BlobCache::make_room(int64_t bytes) {
  const std::lock_guard one(one_);
  if (missing(bytes) <= 0) return true;
  const Result<std::vector<cas::Blobs::Stored>> all = store_.list();
  if (!all) {
    log_error("the cache of the bucket cannot be read", {{"error", all.error().describe()}});
    return false;
  }
  const int64_t more = limits_.bytes / 10;  // so that the folder is not read for each blob
  for (const cas::Digest& digest : choose_to_drop(*all, missing(bytes) + more)) {
    const auto gone = store_.remove_unused(digest, std::numeric_limits<int64_t>::max());
    if (!gone) log_warn("a cached blob cannot be removed", {{"error", gone.error().describe()}});
  }
  return free_bytes() - bytes >= limits_.min_free;
}

}  // namespace paddock::bucket
