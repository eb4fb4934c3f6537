// A disk that is full at the moment of the commit, and not before.
#include <sqlite3.h>

#include "controller/store/store_faults_test_support.h"

namespace paddock::store {
namespace {

// The default VFS of this process while it lives: the real one, but that the next write to a log
// after refuse_next() finds no room. SQLite writes its log when it commits. One at a time.
class RefusingDisk {
 public:
  RefusingDisk() {
    real_ = sqlite3_vfs_find(nullptr);
    vfs_ = *real_;
    vfs_.zName = "refusing";
    vfs_.xOpen = &RefusingDisk::open;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~RefusingDisk() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
  }
  RefusingDisk(const RefusingDisk&) = delete;
  RefusingDisk& operator=(const RefusingDisk&) = delete;

  static void refuse_next() { refuses_ = true; }
  static int refused() { return refused_; }

 private:
  static int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out) {
    const int rc = real_->xOpen(real_, path, file, flags, out);
    if (rc != SQLITE_OK || (flags & SQLITE_OPEN_WAL) == 0) return rc;
    of_real_ = file->pMethods;
    methods_ = *of_real_;
    methods_.xWrite = [](sqlite3_file* log, const void* data, int size, sqlite3_int64 at) {
      if (!refuses_) return of_real_->xWrite(log, data, size, at);
      refuses_ = false;
      ++refused_;
      return SQLITE_FULL;
    };
    file->pMethods = &methods_;
    return rc;
  }

  inline static sqlite3_vfs* real_ = nullptr;
  inline static const sqlite3_io_methods* of_real_ = nullptr;
  inline static sqlite3_io_methods methods_ = {};
  inline static bool refuses_ = false;
  inline static int refused_ = 0;
  sqlite3_vfs vfs_ = {};
};

class RefusedCommit : public StoreFaults {
 protected:
  std::unique_ptr<Store> open() {
    StoreOptions options{path_};
    options.reserve = 4 << 20;
    options.on_commit = [this](const std::vector<std::string>& topics) {
      for (const std::string& each : topics) told_ += cat(each, "\n");
    };
    options.on_changes = [this](const std::vector<ObjectWrite>& writes) {
      for (const ObjectWrite& each : writes) announced_ += cat(each.key.name, "\n");
    };
    return Store::open(options).value();
  }
  // Deletes the run, and does what must not be there twice.
  Status end(Store& store, const std::string& name) {
    return store.write_freeing([this, name](WriteTxn& txn) -> Status {
      ++made_;
      TRY(txn.erase<contracts::Run>({"default", name}));
      contracts::AuditEvent event;
      event.type = "run.deleted";
      TRY(txn.append_audit(event));
      txn.touch("ended");
      return {};
    });
  }
  static std::string events(Store& store) {
    std::string out;
    const Status read = store.read([&](ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(const auto all, txn.audit_events({}));
      for (const contracts::AuditEvent& each : all) out += cat(each.id, " ", each.type, "\n");
      return {};
    });
    return read.ok() ? out : reason_of(read);
  }

  int made_ = 0;
  std::string told_, announced_;
};

TEST_F(RefusedCommit, IsMadeOnceMoreInTheReserveAndLeavesItsEffectsOnce) {
  expect(in_child([this]() -> std::string {
    const RefusingDisk disk;
    auto store = open();
    if (!add(*store, "kept").ok() || !add(*store, "gone").ok()) return "no run at first";
    told_.clear();
    announced_.clear();
    RefusingDisk::refuse_next();
    if (const Status ended = end(*store, "gone"); !ended.ok()) return ended.error().describe();
    if (RefusingDisk::refused() != 1 || made_ != 2) return cat("not made twice: ", made_);
    if (stored(*store) != "kept\n") return cat("stored: ", stored(*store));
    if (events(*store) != "1 run.deleted\n") return cat("audit: ", events(*store));
    if (announced_ != "gone\n") return cat("announced: ", announced_);
    if (told_.find("ended\n") == std::string::npos ||
        told_.find("ended\n") != told_.rfind("ended\n"))
      return cat("topics: ", told_);
    store = nullptr;
    store = open();
    if (stored(*store) != "kept\n" || events(*store) != "1 run.deleted\n")
      return "not the same after a restart";
    return reason_of(add(*store, "z-after"));
  }));
}

TEST_F(RefusedCommit, IsAnErrorForWhoFreesNothingAndLeavesNothing) {
  expect(in_child([this]() -> std::string {
    const RefusingDisk disk;
    auto store = open();
    if (!add(*store, "kept").ok()) return "no run at first";
    announced_.clear();
    RefusingDisk::refuse_next();
    if (reason_of(add(*store, "more")) != "STORE_FULL") return "was not refused";
    if (stored(*store) != "kept\n" || !announced_.empty()) return "something of it is left";
    return reason_of(add(*store, "more"));
  }));
}

}  // namespace
}  // namespace paddock::store
