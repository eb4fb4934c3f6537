#include "controller/store/move/file_side.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/lock_holder.h"
#include "controller/store/sqlite/migrations.h"

namespace paddock::store::move {

namespace {

std::string target_of(const std::string& file) { return file + ".moving"; }

// Before anything brings it up to date.
Status check_version(const std::string& file) {
  ASSIGN_OR_RETURN(const auto db,
                   sqlite::Connection::open(file, sqlite::Connection::Mode::kReader));
  ASSIGN_OR_RETURN(const int64_t id, db->pragma("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t version, db->pragma("PRAGMA user_version"));
  if (id != sqlite::kApplicationId || version >= sqlite::schema_version()) return {};
  return Error{Code::kFailedPrecondition, "STORE_SCHEMA_TOO_OLD",
               cat("the store has schema ", version, " and this program ", sqlite::schema_version(),
                   "; start this version's controller with it once, then move it")};
}

Error file_is_there() {
  return {Code::kFailedPrecondition, "STORE_NOT_EMPTY",
          "the data folder has a paddock.db already; move it away first"};
}

Status create_private(const std::string& path) {
  const os::Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.valid()) return {};
  return system_error("cannot create the new store's file", errno);
}

}  // namespace

Result<os::LockFile> lock_file(const std::string& file) {
  auto lock = os::LockFile::acquire(file + ".lock");
  if (lock.ok() || lock.error().reason != "LOCK_HELD") return lock;
  return Error{
      Code::kFailedPrecondition, "STORE_LOCKED",
      cat("a controller", os::lock_holder(file + ".lock"), " uses this store; stop it first")};
}

Result<sqlite::OpenedFile> open_source(const std::string& file) {
  ASSIGN_OR_RETURN(const bool there, os::is_there(file));
  if (!there)
    return Error{Code::kFailedPrecondition, "STORE_NOTHING_TO_MOVE",
                 "the data folder has no paddock.db; give the controller's own data folder"};
  TRY(check_version(file));
  ASSIGN_OR_RETURN(auto opened, sqlite::open_file(file, std::numeric_limits<int64_t>::max()));
  TRY(opened.writer->execute("BEGIN"));
  return opened;
}

Result<std::string> put_aside(const std::string& file, WallTime now) {
  ASSIGN_OR_RETURN(const bool there, os::is_there(file));
  if (!there) return std::string();
  const std::string kept = cat(file, ".moved-", now.ms);
  for (const char* suffix : {"-wal", "-shm"}) {  // first: a log must not meet another's file
    ASSIGN_OR_RETURN(const bool beside, os::is_there(file + suffix));
    if (beside) TRY(os::rename_durably(file + suffix, kept + suffix));
  }
  TRY(os::rename_durably(file, kept));
  return kept;
}

Result<std::unique_ptr<sqlite::Connection>> make_target(const std::string& file) {
  ASSIGN_OR_RETURN(const bool there, os::is_there(file));
  if (there) return file_is_there();
  remove_target(file);
  TRY(create_private(target_of(file)));
  ASSIGN_OR_RETURN(auto db,
                   sqlite::Connection::open(target_of(file), sqlite::Connection::Mode::kWriter));
  TRY(db->execute("PRAGMA auto_vacuum=INCREMENTAL; PRAGMA synchronous=FULL"));
  TRY(sqlite::migrate(*db));
  TRY(db->execute("BEGIN IMMEDIATE"));
  return db;
}

Status put_given(sqlite::Connection& db, const Given& given) {
  const std::string sql =
      cat("DELETE FROM sqlite_sequence WHERE name IN ('changes', 'objects', 'audit');"
          "INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', ",
          given[0], "), ('objects', ", given[1], "), ('audit', ", given[2], ")");
  return db.execute(sql.c_str());
}

Status take_place(const std::string& file) {
  ASSIGN_OR_RETURN(const bool there, os::is_there(file));
  ASSIGN_OR_RETURN(const bool made, os::is_there(target_of(file)));
  if (!made) {
    if (there) return {};
    return Error{
        Code::kFailedPrecondition, "STORE_MISSING",
        "paddock.db.moving, the store that was moved here, is gone: put it back, or rename "
        "the table paddock_moved_away of the database to paddock_leader"};
  }
  if (there) return file_is_there();
  return os::rename_durably(target_of(file), file);
}

void remove_target(const std::string& file) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    ::unlink((target_of(file) + suffix).c_str());
}

}  // namespace paddock::store::move
