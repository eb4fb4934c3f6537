#include "controller/store/backup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "common/audit_chain/chain.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/lock_file.h"
#include "common/os/lock_holder.h"
#include "common/os/sync.h"
#include "controller/store/run_writes.h"
#include "controller/store/sqlite/connection.h"
#include "controller/store/sqlite/open_file.h"

namespace paddock::store {

namespace {

using sqlite::Connection;

void remove_all(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal", ".lock"})
    ::unlink((path + suffix).c_str());
}

Status create_private(const std::string& path) {
  const os::Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.valid()) return {};
  if (errno == EEXIST)
    return Error{Code::kAlreadyExists, "BACKUP_EXISTS", "a backup of this name exists already"};
  return system_error("cannot create the backup's file", errno);
}

Status sync(const std::string& path) {
  const os::Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid() || os::sync_all(file.get()) != 0)
    return system_error("cannot sync the backup", errno);
  return {};
}

// All pages of one snapshot. A copy of one file needs no log beside it.
Status copy(Connection& from, Connection& to) {
  sqlite3_backup* work = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  if (work == nullptr)
    return sqlite::sqlite_error(to.handle(), sqlite3_extended_errcode(to.handle()));
  const int copied = sqlite3_backup_step(work, -1);
  const int finished = sqlite3_backup_finish(work);
  if (copied != SQLITE_DONE) return sqlite::sqlite_error(to.handle(), copied);
  if (finished != SQLITE_OK) return sqlite::sqlite_error(to.handle(), finished);
  return to.execute("PRAGMA journal_mode=DELETE");
}

Status copy_file(const std::string& from, const std::string& to) {
  ASSIGN_OR_RETURN(const auto source, Connection::open(from, Connection::Mode::kReader));
  ASSIGN_OR_RETURN(const auto target, Connection::open(to, Connection::Mode::kWriter));
  return copy(*source, *target);
}

// Far above anything that was given out since; and no history, so that every reader starts over.
Status go_on_far_above(const std::string& path) {
  ASSIGN_OR_RETURN(const auto db, Connection::open(path, Connection::Mode::kWriter));
  const std::string sql =
      cat("BEGIN; UPDATE sqlite_sequence SET seq = seq + ", audit_chain::kRestoreGap,
          " WHERE name IN ('changes', 'audit'); DELETE FROM changes;"
          "INSERT INTO changes (kind, namespace, name, op) VALUES ('', '', '', 'update'); COMMIT");
  return db->execute(sql.c_str());
}

Result<int64_t> give_up_placed(Store& store, WallTime now) {
  int64_t given_up = 0;
  const Status written = store.write([&](WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(std::vector<contracts::Run> active, txn.active_runs());
    for (contracts::Run& run : active) {
      runs::Events events = runs::lose_node(
          run, "the store was restored from a backup; how the run went on after it is not known",
          now);
      if (events.empty()) continue;
      ++given_up;
      TRY(save_run(txn, run, std::move(events)));
    }
    return {};
  });
  if (!written.ok()) return written.error();
  return given_up;
}

// A fault of the copy is a fault of the backup and not of the store, whose own error would tell the
// operator not to touch it. The errors for a full disk, and for a backup of a newer version, stay
// as they are.
Error no_backup(const std::string& backup, const Error& error) {
  if (error.reason != "STORE_CORRUPT" && error.reason != "STORE_NOT_OURS") return error;
  return Error{Code::kNotFound, "BACKUP_NOT_FOUND",
               cat(backup, " is no backup of a store, or a damaged one; the store was not touched")}
      .within(error.describe());
}

// Everything that can fail about the backup, done to a copy of it.
Result<int64_t> make_ready(const std::string& backup, const std::string& copied, WallTime now) {
  struct stat info {};
  // SQLite takes an empty file for a new database, and the instance would begin anew.
  if (::stat(backup.c_str(), &info) == 0 && info.st_size == 0) return sqlite::not_ours();
  TRY(copy_file(backup, copied));
  {
    ASSIGN_OR_RETURN(
        const auto checked,
        Store::open({.path = copied, .checked_at_start = std::numeric_limits<int64_t>::max()}));
  }
  TRY(go_on_far_above(copied));
  ASSIGN_OR_RETURN(const auto store, Store::open({copied}));
  return give_up_placed(*store, now);
}

Result<int64_t> prepare(const std::string& backup, const std::string& copied, WallTime now) {
  if (!os::exists(backup))
    return Error{Code::kNotFound, "BACKUP_NOT_FOUND",
                 cat("there is no file ", backup,
                     "; a backup is a file such as backups/NAME.db in the data folder")};
  auto ready = make_ready(backup, copied, now);
  if (!ready.ok()) return no_backup(backup, ready.error());
  return ready;
}

}  // namespace

std::string backup_file(const std::string& data_dir, const std::string& given) {
  if (os::exists(given) || given.find('/') != std::string::npos) return given;
  const std::string named = os::join_path(data_dir, cat("backups/", given));
  for (const std::string& file : {named, named + ".db"}) {
    if (os::exists(file)) return file;
  }
  return given;
}

Error backed_up_elsewhere() {
  return {
      Code::kFailedPrecondition, "STORE_BACKED_UP_ELSEWHERE",
      "this store is a PostgreSQL database: back it up and restore it by PostgreSQL's own tools "
      "(pg_dump, pg_basebackup), and copy the data folder's blobs, secrets.key and "
      "receipt-keys.pem beside it"};
}

Result<int64_t> back_up(const std::string& store_path, const std::string& target) {
  ASSIGN_OR_RETURN(const bool taken, os::is_there(target));
  if (taken)
    return Error{Code::kAlreadyExists, "BACKUP_EXISTS", "a backup of this name exists already"};
  const std::string partial = target + ".partial";
  remove_all(partial);
  TRY(create_private(partial));
  Status copied = copy_file(store_path, partial);
  if (copied.ok()) copied = sync(partial);
  if (copied.ok()) copied = os::rename_durably(partial, target);
  if (!copied.ok()) {
    remove_all(partial);
    return copied.error();
  }
  struct stat info {};
  if (::stat(target.c_str(), &info) != 0) return system_error("cannot inspect the backup", errno);
  return static_cast<int64_t>(info.st_size);
}

Result<Restored> restore(const std::string& backup, const std::string& store_path, WallTime now) {
  const auto lock = os::LockFile::acquire(store_path + ".lock");
  if (!lock.ok()) {
    return Error{Code::kFailedPrecondition, "STORE_LOCKED",
                 cat("a controller", os::lock_holder(store_path + ".lock"), " uses ", store_path,
                     "; stop it first, or name the data folder that is meant (--data-dir, or "
                     "--config with its dataDir)")};
  }
  const std::string copied = store_path + ".restoring";
  remove_all(copied);
  const auto given_up = prepare(backup, copied, now);
  if (!given_up.ok()) {
    remove_all(copied);
    return given_up.error();
  }
  Restored out{*given_up, ""};
  ASSIGN_OR_RETURN(const bool replaces, os::is_there(store_path));
  if (replaces) {
    out.kept = cat(store_path, ".before-restore-", now.ms);
    for (const char* suffix : {"-wal", "-shm"}) {  // first: a log must not meet another's file
      ASSIGN_OR_RETURN(const bool beside, os::is_there(store_path + suffix));
      if (beside) TRY(os::rename_durably(store_path + suffix, out.kept + suffix));
    }
    TRY(os::rename_durably(store_path, out.kept));
  }
  TRY(os::rename_durably(copied, store_path));
  remove_all(copied);
  return out;
}

}  // namespace paddock::store
