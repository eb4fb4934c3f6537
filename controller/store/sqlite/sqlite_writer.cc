#include "controller/store/sqlite/sqlite_writer.h"

#include <utility>

#include "common/base/log.h"
#include "common/base/text.h"

namespace paddock::store::sqlite {

SqliteWriter::SqliteWriter(std::unique_ptr<Connection> db, DiskReserve* reserve)
    : db_(std::move(db)), reserve_(reserve) {
  if (reserve_ == nullptr) return;
  const std::string copied = cat("PRAGMA wal_autocheckpoint=", reserve_->parts().copied_at_pages);
  (void)db_->execute(copied.c_str());
  reserve_->begin(*db_);
}

Status SqliteWriter::begin() {
  changes_ = db_->changes();
  refused_ = false;
  return db_->prepare("BEGIN IMMEDIATE").run();
}

void SqliteWriter::undo() {
  refused_ = true;
  db_->forget_newest_record();
  if (!db_->in_transaction()) return;
  if (const Status undone = db_->execute("ROLLBACK"); !undone.ok())
    log_error("the store could not roll back", {{"error", undone.error().describe()}});
}

Status SqliteWriter::undo_savepoint() {
  db_->forget_newest_record();
  TRY(db_->prepare("ROLLBACK TO job").run());
  return db_->prepare("RELEASE job").run();
}

// Takes back what is missing of the reserve, before others than those who free something.
void SqliteWriter::look_at_disk(bool asked) {
  if (reserve_ != nullptr && !reserve_->whole() && asked) reserve_->take(*db_);
}

bool SqliteWriter::puts_off(const Purpose& purpose) const {
  if (!lacks_room()) return false;
  return !purpose || (*purpose == Frees::kRuns && !reserve_->half_left());
}

// The disk was full before the reserve knew of it. What the log holds is copied, so that it begins
// anew; then those who free something are tried once more, alone.
bool SqliteWriter::may_succeed_in_reserve(const Status& failed) {
  if (failed.error().reason != "STORE_FULL") return false;
  if (reserve_ == nullptr || !reserve_->give_up()) return false;
  (void)db_->execute("PRAGMA wal_checkpoint(PASSIVE)");
  return true;
}

void SqliteWriter::committed() {
  if (reserve_ != nullptr) reserve_->look(*db_);
}

// Gives free pages of the file back to the disk if there are many of them, a part at a time, so
// that a writer hardly has to wait. This is a transaction of its own: if it fails for lack of room,
// deletions on a full disk are kept all the same.
void SqliteWriter::rest() {
  constexpr int64_t kKept = 4096;  // 16 MiB, for what comes next
  const auto unused = db_->pragma("PRAGMA freelist_count");
  if (!unused.ok() || *unused <= kKept || refused_ || lacks_room()) return;
  const auto all = db_->pragma("PRAGMA page_count");
  if (!all.ok() || *unused < *all / 4) return;
  if (!db_->execute("BEGIN IMMEDIATE; PRAGMA incremental_vacuum(512); COMMIT").ok() &&
      db_->in_transaction())
    (void)db_->execute("ROLLBACK");
}

}  // namespace paddock::store::sqlite
