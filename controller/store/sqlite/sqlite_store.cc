// Store over SQLite: one writer (group_commit.h) and a pool of reading connections. In memory there
// is only the writer's connection, and reads queue with the writes.
#include "controller/store/sqlite/sqlite_store.h"

#include <optional>
#include <utility>

#include "common/base/guarded.h"
#include "common/os/file_identity.h"
#include "controller/store/sql/caching_store.h"
#include "controller/store/sql/group_commit.h"
#include "controller/store/sql/transaction.h"
#include "controller/store/sqlite/disk_reserve.h"
#include "controller/store/sqlite/open_file.h"
#include "controller/store/sqlite/soundness.h"
#include "controller/store/sqlite/sqlite_writer.h"

namespace paddock::store {

namespace sqlite {

namespace {

// Connections that wait for the next read; more are opened when all are in use.
class ReaderPool {
 public:
  explicit ReaderPool(std::string path) : path_(std::move(path)) {}

  Result<std::unique_ptr<Connection>> take() {
    auto reader = idle_.with([](Idle& idle) {
      if (idle.empty()) return std::unique_ptr<Connection>();
      auto last = std::move(idle.back());
      idle.pop_back();
      return last;
    });
    if (reader) return reader;
    return Connection::open(path_, Connection::Mode::kReader);
  }

  void give_back(std::unique_ptr<Connection> reader) {
    idle_.with([&reader](Idle& idle) {
      if (idle.size() < kMaxIdle) idle.push_back(std::move(reader));
    });
  }

 private:
  using Idle = std::vector<std::unique_ptr<Connection>>;
  static constexpr size_t kMaxIdle = 16;
  std::string path_;
  Guarded<Idle> idle_;
};

class FileStore final : public sql::CachingStore {
 public:
  FileStore(OpenedFile file, const StoreOptions& options)
      : path_(options.path),
        opened_(os::identity_of(options.path)),
        lock_(std::move(file.lock)),
        reserve_(options.path, options.reserve),
        engine_(std::move(file.writer), &reserve_),
        writer_(engine_, cache_, tokens_, options),
        readers_(options.path) {
    if (!file.known_sound) check_.emplace(options.path);
  }

  Status write(const std::function<Status(WriteTxn&)>& change) override {
    TRY(check_usable());
    return writer_.submit(change);
  }
  Status write_freeing(const std::function<Status(WriteTxn&)>& change, Frees what) override {
    TRY(check_usable());
    return writer_.submit(change, what);
  }

  // A connection whose transaction did not end well is closed, not given back.
  Status read(const std::function<Status(ReadTxn&)>& look) override {
    TRY(check_there());
    ASSIGN_OR_RETURN(auto reader, readers_.take());
    TRY(reader->prepare("BEGIN").run());
    sql::Transaction txn(*reader, cache_);
    Status seen = look(txn);
    TRY(reader->prepare("COMMIT").run());
    readers_.give_back(std::move(reader));
    return seen;
  }

  Status check_writable() override {
    TRY(check_usable());
    if (!writer_.disk_refuses()) return {};
    // As large as a run with its events: what is left of a full disk may still take a few bytes.
    constexpr size_t kProbeBytes = 64 << 10;
    return writer_.submit([](WriteTxn& txn) {
      return txn.put_setting("write-probe", std::string(kProbeBytes, '0'));
    });
  }

 private:
  // A file in its place is another store, maybe an older one of ours: a new connection would read
  // there what is not so, beside those that write to the file that was opened.
  Status check_there() const {
    if (opened_ && os::identity_of(path_) == opened_) return {};
    return Error{Code::kUnavailable, "STORE_IO",
                 "the store's file is not the one that was opened: the disk of the data folder is "
                 "gone, or something lies over it"};
  }
  Status check_usable() {
    TRY(check_there());
    return check_ ? check_->so_far() : Status();
  }

  const std::string path_;
  const std::optional<os::FileIdentity> opened_;
  os::LockFile lock_;
  DiskReserve reserve_;  // before those who use its files: it closes them last
  SqliteWriter engine_;
  sql::GroupCommit writer_;
  ReaderPool readers_;
  std::optional<SoundnessCheck> check_;
};

class MemoryStore final : public sql::CachingStore {
 public:
  MemoryStore(std::unique_ptr<Connection> db, const StoreOptions& options)
      : engine_(std::move(db), nullptr), writer_(engine_, cache_, tokens_, options) {}

  Status write(const std::function<Status(WriteTxn&)>& change) override {
    return writer_.submit(change);
  }
  Status read(const std::function<Status(ReadTxn&)>& look) override {
    return writer_.submit([&look](WriteTxn& txn) { return look(txn); });
  }
  Status check_writable() override { return {}; }

 private:
  SqliteWriter engine_;
  sql::GroupCommit writer_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
  if (options.path.empty()) {
    ASSIGN_OR_RETURN(auto db, open_memory());
    return std::unique_ptr<Store>(new MemoryStore(std::move(db), options));
  }
  ASSIGN_OR_RETURN(OpenedFile file, open_file(options.path, options.checked_at_start));
  return std::unique_ptr<Store>(new FileStore(std::move(file), options));
}

}  // namespace sqlite

}  // namespace paddock::store
