// Counts what the files of each namespace take, so that no namespace takes more than its share of
// the store. A file counts once for each namespace that has it, by its size (one with holes too),
// and as 4 KiB at least: from when it was sent, while workspaces, volumes and runs name it, and
// after that until it was swept. So a namespace gets no more room by deleting what it sent. Any
// thread.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "common/base/guarded.h"
#include "common/base/time.h"
#include "common/cas/blobs.h"
#include "controller/store/store.h"

namespace paddock::workspaces {

struct Shares {
  int64_t usual = int64_t{48} << 30;
  std::map<std::string, int64_t> own;  // of namespaces with a row of their own
  int64_t of(const std::string& name_space) const;
};

class StoredBytes {
 public:
  // `keep`: how long the sweeper keeps what nothing names.
  StoredBytes(store::Store& store, const cas::Blobs& blobs, Shares shares, Millis keep,
              const Clock& clock)
      : store_(store), blobs_(blobs), shares_(std::move(shares)), keep_(keep), clock_(clock) {}

  // Room that an upload has until it has ended: what is announced counts, as it is the sender's
  // own.
  class Room {
   public:
    Room(StoredBytes& all, std::string name_space, int64_t bytes)
        : all_(all), name_space_(std::move(name_space)), bytes_(bytes) {}
    ~Room();
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    void keep(const cas::Digest& digest);  // it is stored

   private:
    StoredBytes& all_;
    const std::string name_space_;
    const int64_t bytes_;
  };
  // TooLarge (NAMESPACE_QUOTA_EXCEEDED) if the namespace would have more than its share, even after
  // its files were counted anew.
  Result<std::unique_ptr<Room>> take(const std::string& name_space, int64_t bytes);

  // Counts the files that each namespace names: at the start, and now and then.
  Status count_all();

  struct Use {
    int64_t used = 0;
    int64_t share = 0;
  };
  Use use_of(const std::string& name_space) const;
  std::map<std::string, Use> uses() const;  // of namespaces that have something

 private:
  using Name = std::array<unsigned char, 32>;  // a digest
  struct HashName {
    size_t operator()(const Name& name) const;
  };
  struct File {
    int64_t bytes = 0;
    std::optional<MonoTime> unnamed;  // since when the namespace names it no more, or not yet
  };
  using Files = std::unordered_map<Name, File, HashName>;
  struct Account {
    Files files;
    int64_t bytes = 0;  // of all of them
    int64_t arriving = 0;
    std::optional<MonoTime> counted;
    // Held while it is counted: one at a time, and nobody waits for another namespace's disk.
    std::shared_ptr<std::mutex> counting = std::make_shared<std::mutex>();
    int64_t used() const { return bytes + arriving; }
  };
  using Accounts = std::map<std::string, Account>;
  using Sizes = std::unordered_map<cas::Digest, int64_t>;
  static Name name_of(const cas::Digest& digest);
  static void add(Account& account, const cas::Digest& digest, File file);
  bool reserve(const std::string& name_space, int64_t bytes);
  Status count(const std::string& name_space);
  std::shared_ptr<std::mutex> counting(const std::string& name_space);
  void settle(const std::string& name_space, const Sizes& named);
  Files take_over(const std::string& name_space, const Sizes& named, MonoTime now);
  bool is_over(const Name& name, const File& file, MonoTime now) const;
  void drop(const std::string& name_space, const Files& over);

  store::Store& store_;
  const cas::Blobs& blobs_;
  const Shares shares_;
  const Millis keep_;
  const Clock& clock_;
  Guarded<Accounts> accounts_;
};

// The sizes of all blobs that a namespace's workspaces, volumes and runs name.
Result<std::unordered_map<cas::Digest, int64_t>> named_sizes(store::Store& store,
                                                             const cas::Blobs& blobs,
                                                             const std::string& name_space);

}  // namespace paddock::workspaces
