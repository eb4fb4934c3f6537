// Where blobs are kept, by their digests: the interface that a folder (blob_store.h) and others
// implement. What a blob is here does not depend on where it lies: its content was compared with
// its digest before anybody could see it. Thread-safe.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/tree.h"
#include "common/crypto/digest.h"
#include "common/os/fd.h"

namespace paddock::cas {

using contracts::Digest;

// When a blob is stored for good: when it is committed, or at the next sync().
enum class Durability { kNow, kLater };

class Blobs {
 public:
  virtual ~Blobs() = default;

  // Whether what they lie in on this host is there. Unavailable, STORE_IO.
  virtual Status check_there() const { return {}; }
  // Whether it is known to be here. Asks nobody else, so what is not known is sent once more.
  virtual bool has(const Digest& digest) const = 0;
  virtual Result<int64_t> size(const Digest& digest) const = 0;  // NotFound, BLOB_NOT_FOUND
  // The whole content as a file to read. NotFound, BLOB_NOT_FOUND. May wait for another host, and
  // is Unavailable with a reason where that does not answer as it should.
  virtual Result<os::Fd> open_blob(const Digest& digest) const = 0;
  Result<std::string> read(const Digest& digest, size_t limit) const;
  Result<Digest> put(std::string_view bytes) const;
  // Copies from a descriptor; refuses with DIGEST_MISMATCH if the content is not `expected`.
  Status put_fd(int fd, const Digest& expected) const;
  // A second name of the blob, or a copy where there can be none. It stays when the blob is pruned.
  virtual Status keep(const Digest& digest, const std::string& target) const = 0;
  // Whether blobs lie on another host: reading all of them is then no matter of course, and a
  // backup of this host's files does not have them.
  virtual bool remote() const { return false; }
  // To be called with what open_blob() gave and what is not the content of its digest. True where
  // another copy can be had: the damaged one is gone, and open_blob() fetches it.
  virtual bool discard_damaged(const Digest&) const { return false; }
  // `bytes` are about to come: what is kept here only to be quicker makes room for them.
  virtual void make_room(int64_t /*bytes*/) const {}

  // --- for pruning ---
  struct Stored {
    Digest digest;
    int64_t size = 0;
    int64_t used_s = 0;  // when it was stored or used last, in seconds of the system's clock
  };
  // Whether it is here; it then counts as used now, give or take ten minutes.
  virtual bool use(const Digest& digest) const = 0;
  virtual Result<std::vector<Stored>> list() const = 0;
  // How many bytes were added less those removed since the store was opened, through this object
  // and its copies.
  virtual int64_t growth() const = 0;
  // Removes it unless it was used after `used_s`; says whether it is gone. Safe beside use(): what
  // use() has seen is here afterwards, or the next one to ask finds it missing and stores it again.
  virtual Result<bool> remove_unused(const Digest& digest, int64_t used_s) const = 0;

  // A blob that arrives in pieces. Dropped without trace unless commit() succeeds.
  class Writer {
   public:
    class Target {
     public:
      virtual ~Target() = default;
      virtual Status append(std::string_view bytes) = 0;
      virtual Status commit() = 0;  // once
    };
    explicit Writer(std::unique_ptr<Target> target) : target_(std::move(target)) {}
    Status append(std::string_view bytes);  // TooLarge, BLOB_TOO_LARGE, beyond the declared size
    Status commit();                        // DIGEST_MISMATCH, BLOB_INCOMPLETE, BLOB_FINISHED

   private:
    std::unique_ptr<Target> target_;
  };
  // A blob that is here already need not be written once more. Who must not learn by the time that
  // it takes whether it is here has it written all the same.
  enum class IfHere { kCompare, kWrite };
  // `size` may be kSizeUnknown.
  Result<Writer> begin(const Digest& expected, int64_t size,
                       Durability durability = Durability::kNow,
                       IfHere if_here = IfHere::kCompare) const;
  // Returns once every blob stored before is here for good; costs nothing when all are.
  virtual Status sync() const = 0;

 protected:
  // `expected` is a digest and `size` not negative.
  virtual Result<std::unique_ptr<Writer::Target>> open_writer(const Digest& expected, int64_t size,
                                                              Durability durability,
                                                              IfHere if_here) const = 0;
};

inline constexpr int64_t kSizeUnknown = std::numeric_limits<int64_t>::max();

// BAD_DIGEST
Status check_digest(const Digest& digest);
Error blob_not_found(const Digest& digest);

}  // namespace paddock::cas
