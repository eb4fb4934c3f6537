// The one writer. Callers queue their changes; the first who finds nobody at work becomes the
// leader and commits a batch for everybody who waits, then hands over. One fsync serves the batch.
// A change that fails is undone by its savepoint and does not disturb its neighbours. While the
// engine has no room left only changes that free something are made.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "controller/store/sql/token_cache.h"
#include "controller/store/sql/transaction.h"
#include "controller/store/sql/writer.h"

namespace paddock::store::sql {

class GroupCommit {
 public:
  using Change = std::function<Status(WriteTxn&)>;
  using OnCommit = std::function<void(const std::vector<std::string>&)>;
  using OnChanges = std::function<void(std::vector<store::ObjectWrite>)>;
  using OnMeasured = std::function<void(Micros, const std::vector<runs::Measures>&)>;

  // What is read by others is kept in the caches; they and the engine outlive this.
  GroupCommit(Writer& engine, DecodedCache& cache, TokenCache& tokens, const StoreOptions& options)
      : engine_(engine),
        cache_(cache),
        tokens_(tokens),
        on_commit_(options.on_commit),
        on_changes_(options.on_changes),
        on_measured_(options.on_measured),
        disk_refuses_(engine.lacks_room()) {}

  using Purpose = Writer::Purpose;
  // Returns after the commit. Any thread.
  Status submit(const Change& change, Purpose purpose = {},
                const std::vector<NewObject>& makes = {});
  // Refuses with `why` all that wait for their turn: nothing of them was begun. Any thread.
  void give_up_waiting(const Error& why);
  // Whether the last change that had to reach the disk was refused by it. Any thread.
  bool disk_refuses() const { return disk_refuses_.load(); }

  static constexpr size_t kMaxBatch = 256;

 private:
  struct Job {
    const Change* change;
    const std::vector<NewObject>* makes;
    Purpose purpose = {};
    Status result = {};
    bool done = false;
    bool leads = false;
    std::condition_variable turn = {};
  };
  using Batch = std::vector<Job*>;

  Batch take_batch();
  void finish(const Batch& batch);
  void hand_over();
  // Below: by the leader only, without the lock.
  void commit(const Batch& batch);
  Status commit_or_undo(const Batch& batch, std::unique_ptr<Transaction>& txn);
  Status settle();
  bool is_again(const Status& committed, const Batch& batch);
  void look_at_disk(const Batch& batch);
  void tell_what_is_made(const Batch& batch);
  Status try_commit(const Batch& batch, Transaction& txn);
  Status run_in_savepoint(Job& job, Transaction& txn);
  void remember(const Batch& batch, bool wrote);
  void fail(const Batch& batch, const Error& error);
  void announce(Transaction& txn) const;

  std::mutex mutex_;  // guards waiting_, working_ and the jobs' flags
  std::deque<Job*> waiting_;
  bool working_ = false;

  Writer& engine_;                          // the leader's
  std::unique_ptr<Transaction> unsettled_;  // the leader's; of a commit whose outcome is not known
  DecodedCache& cache_;
  TokenCache& tokens_;
  OnCommit on_commit_;
  OnChanges on_changes_;
  OnMeasured on_measured_;
  std::atomic<bool> disk_refuses_;
};

}  // namespace paddock::store::sql
