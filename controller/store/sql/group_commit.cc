#include "controller/store/sql/group_commit.h"

#include <algorithm>

#include "common/base/crash_point.h"
#include "common/base/log.h"
#include "common/base/text.h"

namespace paddock::store::sqlite {

namespace {

bool refused_by_disk(const Status& result) {
  if (result.ok()) return false;
  const Reason& reason = result.error().reason;
  return is_one_of(reason, {"STORE_FULL", "STORE_IO", "STORE_BUSY"});
}

// Whoever may free something is told what works.
Error full_but_for_freeing() {
  return {
      Code::kUnavailable, "STORE_FULL",
      "the controller's disk is full; nothing of this change was kept. What frees something is "
      "done: `paddock cancel RUN`, `paddock delete run RUN`, `paddock delete sandbox NAME`. Free "
      "some space so, or on the disk of the controller's data folder, and send it again"};
}

}  // namespace

void GroupCommit::begin() {
  if (reserve_ == nullptr) return;
  const std::string copied = cat("PRAGMA wal_autocheckpoint=", reserve_->parts().copied_at_pages);
  (void)db_->execute(copied.c_str());
  reserve_->begin(*db_);
  disk_refuses_.store(!reserve_->whole());
}

Status GroupCommit::submit(const Change& change, Purpose purpose) {
  Job job{&change, purpose};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&job);
  if (working_) {
    job.turn.wait(lock, [&job] { return job.done || job.leads; });
  }
  if (!job.done) {
    working_ = true;
    while (!job.done) {
      const Batch batch = take_batch();
      lock.unlock();
      commit(batch);
      lock.lock();
      finish(batch);
    }
    if (waiting_.empty()) {
      lock.unlock();
      give_pages_back();
      lock.lock();
    }
    hand_over();
  }
  return std::move(job.result);
}

GroupCommit::Batch GroupCommit::take_batch() {
  const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kMaxBatch));
  Batch batch(waiting_.begin(), waiting_.begin() + count);
  waiting_.erase(waiting_.begin(), waiting_.begin() + count);
  return batch;
}

void GroupCommit::finish(const Batch& batch) {
  for (Job* job : batch) {
    job->done = true;
    job->turn.notify_one();
  }
}

void GroupCommit::hand_over() {
  if (waiting_.empty()) {
    working_ = false;
  } else {
    waiting_.front()->leads = true;
    waiting_.front()->turn.notify_one();
  }
}

void GroupCommit::remember(const Batch& batch, bool wrote) {
  const bool refused = std::any_of(batch.begin(), batch.end(),
                                   [](const Job* job) { return refused_by_disk(job->result); });
  const bool lacks_reserve = reserve_ != nullptr && !reserve_->whole();
  if (refused || lacks_reserve) {
    disk_refuses_.store(true);
  } else if (wrote) {
    disk_refuses_.store(false);
  }
}

// A part at a time of what is free in the file, where that is much of it: so a file shrinks again,
// and whoever writes meanwhile hardly waits. A transaction of its own: what was deleted on a full
// disk stays deleted though this may find no room.
void GroupCommit::give_pages_back() {
  constexpr int64_t kKept = 4096;  // 16 MiB, for what comes next
  const auto unused = db_->pragma("PRAGMA freelist_count");
  if (!unused.ok() || *unused <= kKept || disk_refuses()) return;
  const auto all = db_->pragma("PRAGMA page_count");
  if (!all.ok() || *unused < *all / 4) return;
  if (!db_->execute("BEGIN IMMEDIATE; PRAGMA incremental_vacuum(512); COMMIT").ok() &&
      db_->in_transaction())
    (void)db_->execute("ROLLBACK");
}

bool GroupCommit::is_put_off(const Job& job) const {
  if (reserve_ == nullptr || reserve_->whole()) return false;
  return !job.purpose || (*job.purpose == Frees::kRuns && !reserve_->half_left());
}

// Takes back what is missing of the reserve, before others than those who free something.
void GroupCommit::look_at_disk(const Batch& batch) {
  if (reserve_ == nullptr || reserve_->whole()) return;
  const bool asked =
      std::any_of(batch.begin(), batch.end(), [](const Job* job) { return !job->purpose; });
  if (asked) reserve_->take(*db_);
}

// The disk was full before the reserve knew of it. What the log holds is copied, so that it begins
// anew; then those who free something are tried once more, alone.
bool GroupCommit::may_succeed_in_reserve(const Status& committed, const Batch& batch) {
  if (committed.ok() || committed.error().reason != "STORE_FULL") return false;
  if (reserve_ == nullptr || !reserve_->give_up()) return false;
  (void)db_->execute("PRAGMA wal_checkpoint(PASSIVE)");
  for (Job* job : batch) job->result = {};
  return true;
}

Status GroupCommit::commit_or_undo(const Batch& batch, Transaction& txn) {
  Status committed = try_commit(batch, txn);
  if (txn.tokens_changed()) tokens_.forget_all();
  if (!committed.ok() && db_->in_transaction()) {
    if (Status undone = db_->execute("ROLLBACK"); !undone.ok())
      log_error("the store could not roll back", {{"error", undone.error().describe()}});
  }
  return committed;
}

void GroupCommit::commit(const Batch& batch) {
  const Stopwatch stopwatch;
  look_at_disk(batch);
  auto txn = std::make_unique<Transaction>(*db_, cache_);
  const int64_t changes = db_->changes();
  Status committed = commit_or_undo(batch, *txn);
  if (may_succeed_in_reserve(committed, batch)) {
    txn = std::make_unique<Transaction>(*db_, cache_);
    committed = commit_or_undo(batch, *txn);
  }
  if (!committed.ok()) {
    for (Job* job : batch) {
      if (job->result.ok()) job->result = committed.error();
    }
    return remember(batch, false);
  }
  PADDOCK_CRASH_POINT("store-committed");
  const bool wrote = db_->changes() != changes;
  if (on_measured_ && wrote) on_measured_(stopwatch.elapsed(), txn->measures());
  if (wrote && reserve_ != nullptr) reserve_->look(*db_);
  remember(batch, wrote);
  txn->publish_decoded();
  announce(*txn);
}

// By the leader, before it hands over: so changes are announced in their order.
void GroupCommit::announce(Transaction& txn) const {
  if (on_changes_ && !txn.object_writes().empty()) on_changes_(std::move(txn.object_writes()));
  std::vector<std::string>& topics = txn.topics();
  std::sort(topics.begin(), topics.end());
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  if (on_commit_ && !topics.empty()) on_commit_(topics);
}

// Fails as a whole only when the transaction itself is lost (disk full, I/O error).
Status GroupCommit::try_commit(const Batch& batch, Transaction& txn) {
  TRY(db_->prepare("BEGIN IMMEDIATE").run());
  for (Job* job : batch) {
    if (is_put_off(*job)) {
      job->result = full_but_for_freeing();
      continue;
    }
    const size_t touched = txn.topics().size();
    const size_t changed = txn.object_writes().size();
    const size_t measured = txn.measures().size();
    job->result = run_in_savepoint(*job, txn);
    if (!db_->in_transaction()) return job->result;
    if (job->result.ok()) continue;
    txn.topics().resize(touched);
    txn.object_writes().resize(changed);
    txn.measures().resize(measured);
    txn.forget_decoded();
  }
  PADDOCK_CRASH_POINT("store-committing");
  return db_->prepare("COMMIT").run();
}

Status GroupCommit::run_in_savepoint(Job& job, Transaction& txn) {
  TRY(db_->prepare("SAVEPOINT job").run());
  Status result = (*job.change)(txn);
  if (!db_->in_transaction()) {
    if (!result.ok()) return result;
    return Error{Code::kUnavailable, "STORE_IO",
                 "the store lost its transaction; nothing was kept"};
  }
  if (!result.ok()) TRY(db_->prepare("ROLLBACK TO job").run());
  TRY(db_->prepare("RELEASE job").run());
  return result;
}

}  // namespace paddock::store::sqlite
