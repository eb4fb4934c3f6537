// Blobs in a bucket, by way of a folder on this host: what comes in is written there first,
// compared with its digest and then sent; what is read is brought there whole, compared and then
// served, a part of it too. So nothing that a bucket's server sends is ever served unless it is
// what its digest says. Thread-safe.
//
// What is in the bucket is known from listings, which list() makes, and from what was stored since:
// asking for a blob's presence costs no request. Before the first listing has ended, use() and
// size() ask the bucket for each blob that is not known, and has() knows only what was asked for or
// stored. One that turns out to be missing there, or not to be what it should, is not here any
// more, so it is asked for when its tree is offered again.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/random.h"
#include "common/cas/blobs.h"
#include "controller/base/leap_guard.h"
#include "controller/bucket/blob_cache.h"
#include "controller/bucket/blob_index.h"
#include "controller/bucket/claim.h"
#include "controller/bucket/turns.h"
#include "controller/bucket/uploader.h"
#include "controller/s3/bucket.h"

namespace paddock::bucket {

struct Places {
  std::string cache;    // the folder on this host
  std::string id_file;  // the data folder's identity (claim.h)
};

class BucketBlobs final : public cas::Blobs {
 public:
  // Checks the bucket and claims its prefix; lists nothing. FailedPrecondition: BUCKET_TAKEN;
  // Unavailable: BUCKET_CREDENTIALS, the causes of s3/answers.h.
  static Result<std::unique_ptr<BucketBlobs>> open(const s3::BucketSettings& settings,
                                                   const Places& places, const CacheLimits& limits,
                                                   const Clock& clock, Random& random);
  // Ends what is under way; later requests fail. Any thread.
  void stop() const { bucket_.stop(); }

  bool has(const cas::Digest& digest) const override { return index_.find(digest).has_value(); }
  Result<int64_t> size(const cas::Digest& digest) const override;
  Result<os::Fd> open_blob(const cas::Digest& digest) const override;
  Status keep(const cas::Digest& digest, const std::string& target) const override;
  bool remote() const override { return true; }
  bool discard_damaged(const cas::Digest& digest) const override;
  void make_room(int64_t bytes) const override { (void)cache_->make_room(bytes); }
  bool use(const cas::Digest& digest) const override;
  Result<std::vector<Stored>> list() const override;
  int64_t growth() const override { return index_.growth(); }
  Result<bool> remove_unused(const cas::Digest& digest, int64_t used_s) const override;
  Status sync() const override { return {}; }  // use() waits, and says what is in the bucket

 protected:
  Result<std::unique_ptr<Writer::Target>> open_writer(const cas::Digest& expected, int64_t size,
                                                      cas::Durability durability,
                                                      IfHere if_here) const override;

 private:
  class SpooledTarget;
  BucketBlobs(const s3::BucketSettings& settings, std::unique_ptr<BlobCache> cache,
              const Clock& clock);
  int64_t now_s() const { return clock_.wall().ms / 1000; }
  Result<int64_t> ask(const cas::Digest& digest) const;
  Status look() const;
  void end_forgotten_uploads() const;
  Status send(const cas::Digest& digest, cas::Durability durability, IfHere if_here) const;
  Status store(Upload upload) const;
  Result<os::Fd> fetch(const cas::Digest& digest) const;
  Result<int64_t> size_there(const cas::Digest& digest) const;
  Status fetch_once(const cas::Digest& digest, int64_t size) const;
  Status fetch_all(const cas::Digest& digest, int64_t size, Writer& writer) const;

  const Clock& clock_;
  const s3::Bucket bucket_;
  const std::unique_ptr<BlobCache> cache_;
  std::unique_ptr<Claim> claim_;
  mutable BlobIndex index_;
  mutable Turns fetching_;
  mutable Guarded<std::set<cas::Digest>> failed_;  // those that were sent for later
  mutable std::mutex listing_;
  mutable std::optional<MonoTime> listed_;
  mutable LeapGuard leap_;
  struct Away {
    MonoTime since;
    Error why;
  };
  mutable Guarded<std::optional<Away>> away_;  // when the bucket last gave no answer to ask()
  std::unique_ptr<Uploader> uploader_;         // ends first: it uses all of the above
};

}  // namespace paddock::bucket
