#include "controller/bucket/bucket_blobs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "controller/bucket/keys.h"

namespace paddock::bucket {
namespace {

using cas::Digest;

constexpr Millis kListingGood{60'000};
constexpr Millis kAwayGood{5'000};
constexpr Millis kUploadForgotten{24 * 3'600'000};

Result<int64_t> size_of(const os::Fd& file) {
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) return system_error("looking at a blob", errno);
  return int64_t{info.st_size};
}

}  // namespace

BucketBlobs::BucketBlobs(const s3::BucketSettings& settings, std::unique_ptr<BlobCache> cache,
                         const Clock& clock)
    : clock_(clock), bucket_(settings, clock), cache_(std::move(cache)) {
  // Half of the transfers, so that a flood of files leaves the others to whoever waits.
  const size_t threads = std::max<size_t>(settings.transfers / 2, 1);
  uploader_ = std::make_unique<Uploader>(threads, [this](Upload upload) {
    const Digest digest = upload.digest;
    if (const Status stored = store(std::move(upload)); !stored.ok()) {
      log_warn("a file did not get into the bucket; its sender is asked for it again",
               {{"digest", digest}, {"reason", stored.error().reason}});
    }
  });
}

Result<std::unique_ptr<BucketBlobs>> BucketBlobs::open(const s3::BucketSettings& settings,
                                                       const Places& places,
                                                       const CacheLimits& limits,
                                                       const Clock& clock, Random& random) {
  ASSIGN_OR_RETURN(std::unique_ptr<BlobCache> cache, BlobCache::open(places.cache, limits));
  std::unique_ptr<BucketBlobs> blobs(new BucketBlobs(settings, std::move(cache), clock));
  TRY(blobs->bucket_.check());
  ASSIGN_OR_RETURN(blobs->claim_, Claim::take(blobs->bucket_, places.id_file, clock, random));
  return blobs;
}

Result<int64_t> BucketBlobs::size(const Digest& digest) const {
  TRY(cas::check_digest(digest));
  if (const auto known = index_.find(digest)) return known->size;
  return ask(digest);
}

// False, too, if the bucket does not answer: the caller then sends the blob, and so gets the error.
bool BucketBlobs::use(const Digest& digest) const {
  if (!contracts::is_digest(digest)) return false;
  if (index_.use(digest, now_s())) return true;
  return ask(digest).ok() && index_.use(digest, now_s());
}

// Asks the bucket about a blob that is not in the index. Once the bucket was listed, such a blob
// does not exist; before that only the bucket knows. A bucket that gave no answer is not asked
// about the next blob at once, since each question would take minutes.
Result<int64_t> BucketBlobs::ask(const Digest& digest) const {
  if (index_.complete()) return cas::blob_not_found(digest);
  const std::optional<Away> away = away_.with([](const auto& last) { return last; });
  if (away && clock_.mono() - away->since < kAwayGood) return away->why;
  const Result<int64_t> size = bucket_.size(key_of(digest));
  if (!size && size.error().code == Code::kNotFound) return cas::blob_not_found(digest);
  if (!size) {
    away_.with([&](auto& last) { last = Away{clock_.mono(), size.error()}; });
    return size.error();
  }
  index_.found(digest, {*size, now_s()});
  const auto known = index_.find(digest);
  return known ? Result<int64_t>(known->size) : Result<int64_t>(cas::blob_not_found(digest));
}

Result<os::Fd> BucketBlobs::open_blob(const Digest& digest) const {
  Result<os::Fd> local = cache_->store().open_blob(digest);
  if (!local && local.error().code == Code::kNotFound) return fetch(digest);
  if (local) (void)cache_->store().use(digest);  // that it was read counts for the cache
  return local;
}

Status BucketBlobs::keep(const Digest& digest, const std::string& target) const {
  ASSIGN_OR_RETURN(const os::Fd here, open_blob(digest));
  return cache_->store().keep(digest, target);
}

bool BucketBlobs::discard_damaged(const Digest& digest) const {
  const auto gone = cache_->store().remove_unused(digest, std::numeric_limits<int64_t>::max());
  return gone.ok() && *gone;
}

Result<std::vector<BucketBlobs::Stored>> BucketBlobs::list() const {
  const std::lock_guard one(listing_);
  if (!listed_ || clock_.mono() - *listed_ >= kListingGood) TRY(look());
  return index_.all();
}

// Lists the blobs in the bucket, and ends uploads that others left unfinished there.
Status BucketBlobs::look() const {
  index_.begin_listing();
  std::vector<Stored> there;
  TRY(bucket_.list(kBlobs, [&](const std::vector<s3::Object>& page) -> Status {
    for (const s3::Object& each : page)
      if (const auto digest = digest_of(each.key))
        there.push_back({*digest, each.size, each.modified.ms / 1000});
    return {};
  }));
  for (const Digest& gone : index_.settle(there))
    log_warn("the bucket lost a file; it is asked for again", {{"digest", gone}});
  listed_ = clock_.mono();
  TRY(cache_->store().sync());  // so that little is compared again after a loss of power
  end_forgotten_uploads();
  return {};
}

// If the calendar has leapt, every upload looks old, and those under way would be ended too.
void BucketBlobs::end_forgotten_uploads() const {
  leap_.look(clock_.wall(), clock_.mono());
  if (leap_.holds(clock_.mono())) return;
  const auto ended = bucket_.abort_uploads({clock_.wall().ms - kUploadForgotten.count()});
  if (!ended.ok())
    log_warn("unfinished uploads to the bucket were not looked for",
             {{"reason", ended.error().reason}});
}

// A caller that uses the blob from now on waits until it is removed, and then has it stored anew.
Result<bool> BucketBlobs::remove_unused(const Digest& digest, int64_t used_s) const {
  if (const auto size = this->size(digest); !size.ok())
    return size.error().code == Code::kNotFound ? Result<bool>(true) : size.error();
  TRY(claim_->check());
  const auto turn = index_.begin_removal(digest, used_s);
  if (!turn) return false;
  TRY(bucket_.remove(key_of(digest)));
  ASSIGN_OR_RETURN(const bool gone,
                   cache_->store().remove_unused(digest, std::numeric_limits<int64_t>::max()));
  return gone;
}

// --- in ---

class BucketBlobs::SpooledTarget final : public Writer::Target {
 public:
  SpooledTarget(const BucketBlobs& blobs, Digest digest, Writer spool, cas::Durability durability,
                IfHere if_here)
      : blobs_(blobs),
        digest_(std::move(digest)),
        spool_(std::move(spool)),
        durability_(durability),
        if_here_(if_here) {}
  Status append(std::string_view bytes) override { return spool_.append(bytes); }
  Status commit() override {
    TRY(spool_.commit());
    return blobs_.send(digest_, durability_, if_here_);
  }

 private:
  const BucketBlobs& blobs_;
  const Digest digest_;
  Writer spool_;
  const cas::Durability durability_;
  const IfHere if_here_;
};

Result<std::unique_ptr<cas::Blobs::Writer::Target>> BucketBlobs::open_writer(
    const Digest& expected, int64_t size, cas::Durability durability, IfHere if_here) const {
  if (size != cas::kSizeUnknown) make_room(size);
  // The spool need not survive a loss of power: its content is not reported as stored before the
  // bucket has it.
  ASSIGN_OR_RETURN(Writer spool,
                   cache_->store().begin(expected, size, cas::Durability::kLater, if_here));
  return std::unique_ptr<Writer::Target>(
      std::make_unique<SpooledTarget>(*this, expected, std::move(spool), durability, if_here));
}

// From the spool, where it was compared with its digest. One that failed before is sent while its
// sender waits, who so hears why.
Status BucketBlobs::send(const Digest& digest, cas::Durability durability, IfHere if_here) const {
  ASSIGN_OR_RETURN(os::Fd file, cache_->open_new(digest));
  ASSIGN_OR_RETURN(const int64_t size, size_of(file));
  BlobIndex::Turn turn = index_.begin(digest);
  if (if_here == IfHere::kCompare && has(digest)) return {};
  Upload upload{digest, std::move(file), size, std::move(turn)};
  const bool failed = failed_.with([&](const auto& all) { return all.contains(digest); });
  if (durability == cas::Durability::kNow || failed) return store(std::move(upload));
  uploader_->add(std::move(upload));
  return {};
}

Status BucketBlobs::store(Upload upload) const {
  constexpr size_t kMostFailed = 10'000;
  const Digest& digest = upload.digest;
  const Status stored = bucket_.put(key_of(digest), {upload.file.get(), 0, upload.size, digest});
  if (stored.ok()) upload.turn.stored({upload.size, now_s()});
  failed_.with([&](auto& all) {
    if (stored.ok() || all.size() >= kMostFailed) {
      all.erase(digest);
    } else {
      all.insert(digest);
    }
  });
  make_room(0);
  return stored;
}

}  // namespace paddock::bucket
