#include "controller/store/sql/group_commit.h"

#include <algorithm>

#include "common/base/crash_point.h"
#include "common/base/log.h"
#include "common/base/text.h"

namespace paddock::store::sql {

namespace {

bool refused_by_disk(const Status& result) {
  if (result.ok()) return false;
  const Reason& reason = result.error().reason;
  return is_one_of(reason, {"STORE_FULL", "STORE_IO", "STORE_BUSY", "STORE_AWAY"});
}

// The error on a full disk for a change that frees nothing: it names the commands that still work.
Error full_but_for_freeing() {
  return {
      Code::kUnavailable, "STORE_FULL",
      "the controller's disk is full; nothing of this change was kept. What frees something is "
      "done: `paddock cancel RUN`, `paddock delete run RUN`, `paddock delete sandbox NAME`. Free "
      "some space so, or on the disk of the controller's data folder, and send it again"};
}

}  // namespace

Status GroupCommit::submit(const Change& change, Purpose purpose,
                           const std::vector<NewObject>& makes) {
  Job job{&change, &makes, purpose};
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
      engine_.rest();
      lock.lock();
    }
    hand_over();
  }
  return std::move(job.result);
}

// Whoever was told to lead the next batch sees to its own.
void GroupCommit::give_up_waiting(const Error& why) {
  const std::lock_guard lock(mutex_);
  std::deque<Job*> kept;
  for (Job* job : waiting_) {
    if (job->leads) {
      kept.push_back(job);
      continue;
    }
    job->result = why;
    job->done = true;
    job->turn.notify_one();
  }
  waiting_.swap(kept);
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
  if (refused || engine_.lacks_room()) {
    disk_refuses_.store(true);
  } else if (wrote) {
    disk_refuses_.store(false);
  }
}

void GroupCommit::look_at_disk(const Batch& batch) {
  engine_.look_at_disk(
      std::any_of(batch.begin(), batch.end(), [](const Job* job) { return !job->purpose; }));
}

void GroupCommit::tell_what_is_made(const Batch& batch) {
  std::vector<NewObject> all;
  for (const Job* job : batch) all.insert(all.end(), job->makes->begin(), job->makes->end());
  engine_.will_make(all);
}

bool GroupCommit::is_again(const Status& committed, const Batch& batch) {
  if (committed.ok() || !engine_.may_succeed_in_reserve(committed)) return false;
  for (Job* job : batch) job->result = {};
  return true;
}

// Beginning may give the engine another connection: a transaction is made after it.
Status GroupCommit::commit_or_undo(const Batch& batch, std::unique_ptr<Transaction>& txn) {
  txn.reset();
  tell_what_is_made(batch);
  Status committed = engine_.begin();
  if (committed.ok()) {
    txn = std::make_unique<Transaction>(engine_.connection(), cache_);
    committed = try_commit(batch, *txn);
    if (txn->tokens_changed()) tokens_.forget_all();
  }
  if (!committed.ok()) engine_.undo();
  return committed;
}

// Finds out whether the batch was kept whose commit got no answer. Then its changes are announced
// like all others, before those of any later batch.
Status GroupCommit::settle() {
  if (unsettled_ == nullptr) return {};
  ASSIGN_OR_RETURN(const bool kept, engine_.settle());
  const auto txn = std::move(unsettled_);
  if (!kept) return {};
  if (txn->tokens_changed()) tokens_.forget_all();
  txn->publish_decoded();
  announce(*txn);
  return {};
}

void GroupCommit::fail(const Batch& batch, const Error& error) {
  for (Job* job : batch) {
    if (job->result.ok()) job->result = error;
  }
  remember(batch, false);
}

void GroupCommit::commit(const Batch& batch) {
  const Stopwatch stopwatch;
  if (const Status settled = settle(); !settled.ok()) return fail(batch, settled.error());
  look_at_disk(batch);
  std::unique_ptr<Transaction> txn;
  Status committed = commit_or_undo(batch, txn);
  if (is_again(committed, batch)) committed = commit_or_undo(batch, txn);
  if (!committed.ok()) {
    if (committed.error().reason == "STORE_OUTCOME_UNKNOWN") unsettled_ = std::move(txn);
    return fail(batch, committed.error());
  }
  PADDOCK_CRASH_POINT("store-committed");
  const bool wrote = engine_.wrote();
  if (on_measured_ && wrote) on_measured_(stopwatch.elapsed(), txn->measures());
  if (wrote) engine_.committed();
  remember(batch, wrote);
  txn->publish_decoded();
  announce(*txn);
}

// Called by the thread that commits, before another thread may, so that changes are announced in
// their order.
void GroupCommit::announce(Transaction& txn) const {
  if (on_changes_ && !txn.object_writes().empty()) on_changes_(std::move(txn.object_writes()));
  std::vector<std::string>& topics = txn.topics();
  std::sort(topics.begin(), topics.end());
  topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
  if (on_commit_ && !topics.empty()) on_commit_(topics);
}

// Fails as a whole only when the transaction itself is lost (disk full, I/O error).
Status GroupCommit::try_commit(const Batch& batch, Transaction& txn) {
  for (Job* job : batch) {
    if (engine_.puts_off(job->purpose)) {
      job->result = full_but_for_freeing();
      continue;
    }
    const size_t touched = txn.topics().size();
    const size_t changed = txn.object_writes().size();
    const size_t measured = txn.measures().size();
    job->result = run_in_savepoint(*job, txn);
    if (!engine_.in_transaction()) return job->result;
    if (job->result.ok()) continue;
    txn.topics().resize(touched);
    txn.object_writes().resize(changed);
    txn.measures().resize(measured);
    txn.forget_decoded();
  }
  PADDOCK_CRASH_POINT("store-committing");
  return engine_.commit();
}

Status GroupCommit::run_in_savepoint(Job& job, Transaction& txn) {
  TRY(engine_.savepoint());
  Status result = (*job.change)(txn);
  if (result.ok() && engine_.in_transaction()) {
    result = engine_.keep_savepoint();
    if (result.ok()) return result;
  }
  if (!engine_.in_transaction()) {
    if (!result.ok()) return result;
    return Error{Code::kUnavailable, "STORE_IO",
                 "the store lost its transaction; nothing was kept"};
  }
  TRY(engine_.undo_savepoint());
  return result;
}

}  // namespace paddock::store::sql
