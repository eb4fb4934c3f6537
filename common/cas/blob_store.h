// Blobs by digest in a folder: <root>/<first two hex digits>/<digest>, mode 0444, written beside
// and renamed. Content is verified against its digest before it can be seen. Thread-safe and safe
// between processes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/contracts/tree.h"
#include "common/crypto/digest.h"
#include "common/os/fd.h"

namespace paddock::cas {

using contracts::Digest;

class Unsynced;

// When a blob is on the disk for good: when it is stored, or at the next sync().
enum class Durability { kNow, kLater };

class BlobStore {
 public:
  // After a crash of the host, blobs that were not synchronised are checked, and damaged ones go.
  static Result<BlobStore> open(const std::string& root);

  bool has(const Digest& digest) const;
  Result<int64_t> size(const Digest& digest) const;  // NotFound, BLOB_NOT_FOUND
  Result<os::Fd> open_blob(const Digest& digest) const;
  Result<std::string> read(const Digest& digest, size_t limit) const;
  Result<Digest> put(std::string_view bytes) const;
  // Copies from a descriptor; refuses with DIGEST_MISMATCH if the content is not `expected`.
  Status put_fd(int fd, const Digest& expected) const;
  // A second name of the blob, or a copy where the file system has none. It stays when the blob is
  // pruned.
  Status keep(const Digest& digest, const std::string& target) const;

  // --- for pruning ---
  struct Stored {
    Digest digest;
    int64_t size = 0;
    int64_t used_s = 0;  // when it was stored or used last, in seconds of the system's clock
  };
  // Whether it is here; it then counts as used now, give or take ten minutes.
  bool use(const Digest& digest) const;
  Result<std::vector<Stored>> list() const;
  // How many bytes were added less those removed since the store was opened, through this object
  // and its copies.
  int64_t growth() const { return growth_->load(); }
  // Removes it unless it was used after `used_s`; says whether it is gone. Safe beside use(): what
  // use() has seen is here afterwards, or is missing to whoever asks next and stored again.
  Result<bool> remove_unused(const Digest& digest, int64_t used_s) const;

  // A blob that arrives in pieces. Dropped without trace unless commit() succeeds.
  class Writer {
   public:
    Status append(std::string_view bytes);  // TooLarge, BLOB_TOO_LARGE, beyond the declared size
    Status commit();                        // DIGEST_MISMATCH, BLOB_INCOMPLETE
    ~Writer();
    Writer(Writer&&) noexcept;
    Writer& operator=(Writer&&) = delete;

   private:
    friend class BlobStore;
    struct State;
    explicit Writer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  // A blob that is here already need not be written once more. Who must not learn by the time that
  // it takes whether it is here has it written all the same.
  enum class IfHere { kCompare, kWrite };
  Result<Writer> begin(const Digest& expected, int64_t size,
                       Durability durability = Durability::kNow,
                       IfHere if_here = IfHere::kCompare) const;
  // Returns once every blob stored before is on the disk; costs nothing when all are.
  Status sync() const;

 private:
  BlobStore(std::string root, std::shared_ptr<Unsynced> unsynced)
      : root_(std::move(root)), unsynced_(std::move(unsynced)) {}
  Status check_again(int64_t since_s) const;
  std::string blob_path(const Digest& digest) const;
  std::string root_;
  std::shared_ptr<Unsynced> unsynced_;  // of all copies
  std::shared_ptr<std::atomic<int64_t>> growth_ = std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace paddock::cas
