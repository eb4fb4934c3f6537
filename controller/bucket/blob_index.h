// What is known of the blobs in a bucket: which are there, which are being stored or removed. Asks
// nobody. Thread-safe.
//
// A caller that stores or removes a blob has its turn (Turn): one at a time for each digest. A
// listing of the bucket is brought in with settle(), which leaves alone what had a turn while it
// was made. Until the first listing is in, a blob that is not known may be there all the same: a
// caller that asks the bucket for one blob tells what it found with found().
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "common/cas/blobs.h"

namespace paddock::bucket {

class BlobIndex {
 public:
  struct Entry {
    int64_t size = 0;
    int64_t used_s = 0;  // seconds of the system's clock
  };

  std::optional<Entry> find(const cas::Digest& digest) const;
  // Also waits for the end of a turn; then whether it is there. It counts as used at `now_s`.
  bool use(const cas::Digest& digest, int64_t now_s);
  // The bytes that were stored here, less those that were removed. A blob that was found in the
  // bucket counts as neither.
  int64_t growth() const;
  std::vector<cas::Blobs::Stored> all() const;
  // Whether a listing was brought in: what is not known is then not there.
  bool complete() const;
  // The bucket has it. Left alone if somebody stored or removed it meanwhile, or it is doubtful.
  void found(const cas::Digest& digest, const Entry& entry);

  // The right to store or remove one blob. Ends with this.
  class Turn {
   public:
    Turn(BlobIndex& index, cas::Digest digest) : index_(&index), digest_(std::move(digest)) {}
    Turn(Turn&& other) noexcept
        : index_(std::exchange(other.index_, nullptr)), digest_(std::move(other.digest_)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (index_ != nullptr) index_->end(digest_);
    }
    void stored(const Entry& entry) { index_->add(digest_, entry); }

   private:
    BlobIndex* index_;
    cas::Digest digest_;
  };
  // Waits until nobody else has it.
  Turn begin(const cas::Digest& digest);
  // Takes it out to be removed: none if it was used after `used_s`, or somebody has it now.
  std::optional<Turn> begin_removal(const cas::Digest& digest, int64_t used_s);

  // The blob was missing, or not as its digest says, so the index forgets it and clients are asked
  // for it again. A doubtful one stays out of the index until it is stored anew, whatever listings
  // say.
  void lost(const cas::Digest& digest, bool doubtful);

  void begin_listing();
  // `there`: all that the bucket has. Answers what was known and is not there.
  std::vector<cas::Digest> settle(const std::vector<cas::Blobs::Stored>& there);

 private:
  void add(const cas::Digest& digest, const Entry& entry);
  void end(const cas::Digest& digest);
  void erase(const cas::Digest& digest);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<cas::Digest, Entry> here_;
  std::set<cas::Digest> taken_;
  std::set<cas::Digest> doubtful_;
  std::set<cas::Digest> touched_;  // since the listing began
  int64_t bytes_ = 0;
  int64_t found_ = 0;  // of these, what was there and was not stored through this
  bool complete_ = false;
};

}  // namespace paddock::bucket
