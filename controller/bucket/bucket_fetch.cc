// Bringing blobs from the bucket: the half of BucketBlobs that reads.
#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/bucket/bucket_blobs.h"
#include "controller/bucket/keys.h"

namespace paddock::bucket {
namespace {

using cas::Digest;

constexpr int kTries = 3;
constexpr Millis kRest{200};

bool is_wrong_content(const Error& error) {
  return is_one_of(error.reason, {"DIGEST_MISMATCH", "BLOB_INCOMPLETE", "BLOB_TOO_LARGE"});
}

bool may_go_on(const Error& error) {
  return is_one_of(error.reason, {"BUCKET_UNREACHABLE", "BUCKET_BUSY", "BUCKET_FAILED"});
}

}  // namespace

// The bucket is asked also where the index has no such blob: the record that names it may be older
// than the index.
Result<int64_t> BucketBlobs::size_there(const Digest& digest) const {
  if (const auto known = index_.find(digest)) return known->size;
  Result<int64_t> size = bucket_.size(key_of(digest));
  if (!size && size.error().code == Code::kNotFound) return cas::blob_not_found(digest);
  return size;
}

Result<os::Fd> BucketBlobs::fetch(const Digest& digest) const {
  const Turns::Turn one = fetching_.begin(digest);
  if (Result<os::Fd> local = cache_->store().open_blob(digest)) return local;  // meanwhile
  ASSIGN_OR_RETURN(const int64_t size, size_there(digest));
  if (!cache_->make_room(size)) {
    return Error{Code::kUnavailable, "BLOB_CACHE_FULL",
                 "the controller's disk has no room to bring a file from the bucket"};
  }
  Status fetched;
  for (const bool again : {false, true}) {
    fetched = fetch_once(digest, size);
    if (fetched.ok()) return cache_->open_new(digest);
    if (again || !is_wrong_content(fetched.error())) break;
  }
  if (fetched.error().code == Code::kNotFound) {
    log_warn("a file is missing in the bucket; it is asked for again", {{"digest", digest}});
    index_.lost(digest, false);
    return cas::blob_not_found(digest);
  }
  if (!is_wrong_content(fetched.error())) return fetched.error();
  log_error("the bucket's server sent another content than it was given; it is asked for again",
            {{"digest", digest}, {"reason", fetched.error().reason}});
  index_.lost(digest, true);
  return Error{Code::kUnavailable, "BUCKET_CONTENT_WRONG",
               "what the bucket's server sent is not the file that was stored there"};
}

Status BucketBlobs::fetch_once(const Digest& digest, int64_t size) const {
  ASSIGN_OR_RETURN(Writer writer, cache_->store().begin(digest, size, cas::Durability::kLater));
  TRY(fetch_all(digest, size, writer));
  return writer.commit();
}

// A connection that breaks is gone on from where it was; the digest of the whole decides.
Status BucketBlobs::fetch_all(const Digest& digest, int64_t size, Writer& writer) const {
  int64_t got = 0;
  Status refused;
  const auto take = [&](std::string_view bytes) {
    refused = writer.append(bytes);
    got += static_cast<int64_t>(bytes.size());
    return refused.ok();
  };
  for (int tries = 1;; ++tries) {
    const Status done = bucket_.get(key_of(digest), got, size, take);
    if (!refused.ok()) return refused;
    if (done.ok() || tries == kTries || !may_go_on(done.error())) return done;
    if (!bucket_.rest(kRest)) return done;
    if (got == size) return {};  // it broke behind the last byte
  }
}

}  // namespace paddock::bucket
