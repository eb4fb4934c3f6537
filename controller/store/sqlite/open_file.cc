#include "controller/store/sqlite/open_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include <cerrno>
#include <initializer_list>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/lock_holder.h"
#include "controller/store/sqlite/migrations.h"
#include "controller/store/sqlite/soundness.h"

namespace paddock::store::sqlite {

namespace {

Result<os::LockFile> lock_for(const std::string& path) {
  auto lock = os::LockFile::acquire(path + ".lock");
  if (!lock.ok() && lock.error().reason == "LOCK_HELD") {
    return Error{Code::kFailedPrecondition, "STORE_LOCKED",
                 cat("another controller", os::lock_holder(path + ".lock"),
                     " uses this store; stop it or choose another data folder")};
  }
  return lock;
}

// Readable by us only, before SQLite makes it readable by all; its WAL inherits the mode.
Status create_private(const std::string& path) {
  const os::Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!file.valid()) return system_error("cannot open the store's file", errno);
  return check_suitable(file);
}

int64_t size_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

// Before SQLite had a say: read-only, no permission, no space, not a file.
Error unwritable(const Error& cause) {
  const bool disk = cause.reason == kDiskReadOnlyReason || cause.reason == kDiskFailsReason;
  if (!disk && cause.reason != "SYSTEM_ERROR") return cause;
  return Error{Code::kFailedPrecondition, "STORE_UNWRITABLE",
               "the store cannot be opened for writing; give the controller a data folder that its "
               "user may write, on a disk with free space"}
      .within(cause.describe());
}

Status check_ours(Connection& db) {
  Marks marks;
  ASSIGN_OR_RETURN(marks.application, db.pragma("PRAGMA application_id"));
  ASSIGN_OR_RETURN(marks.schema, db.pragma("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const int64_t tables, db.pragma("SELECT count(*) FROM sqlite_schema"));
  marks.has_tables = tables > 0;
  return check_marks(marks);
}

bool means_damage(const Error& error) { return error.reason == "STORE_CORRUPT"; }

// A file of before it could shrink is written anew, once: where that takes a moment, and not much
// of the disk. It can be used as well as it is.
void let_it_shrink(Connection& db, const std::string& path) {
  constexpr int64_t kIncremental = 2;
  const auto mode = db.pragma("PRAGMA auto_vacuum");
  if (!mode.ok() || *mode == kIncremental) return;
  (void)db.execute("PRAGMA auto_vacuum=INCREMENTAL");  // all that an empty one needs
  struct statvfs disk {};
  const bool room = ::statvfs(path.c_str(), &disk) == 0 &&
                    static_cast<int64_t>(disk.f_bavail * disk.f_frsize) / 8 > size_of(path);
  if (size_of(path) > 0 && room) (void)db.execute("VACUUM");
}

Status check_and_migrate(Connection& db, const std::string& path, bool whole) {
  TRY(check_ours(db));
  if (whole) TRY(check_sound(db));
  if (whole) let_it_shrink(db, path);
  TRY(
      db.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                 "PRAGMA wal_autocheckpoint=4000; PRAGMA journal_size_limit=67108864;"));
  return migrate(db);
}

Result<std::unique_ptr<Connection>> open_checked(const std::string& path, bool whole) {
  ASSIGN_OR_RETURN(auto db, Connection::open(path, Connection::Mode::kWriter));
  TRY(check_and_migrate(*db, path, whole));
  return db;
}

}  // namespace

Status check_marks(const Marks& marks) {
  const bool unmarked = marks.application == 0 && marks.schema == 0 && !marks.has_tables;
  if (!unmarked && marks.application != kApplicationId) return not_ours();
  if (marks.schema > schema_version()) return schema_too_new(marks.schema);
  return {};
}

// SQLite would wait for a FIFO, and says of a folder only that it cannot open the database.
Status check_beside(const std::string& path) {
  for (const char* const ending : {"-wal", "-shm", "-journal", ".lock"}) {
    struct stat info {};
    if (::lstat(cat(path, ending).c_str(), &info) != 0 || S_ISREG(info.st_mode)) continue;
    return Error{Code::kFailedPrecondition, "STORE_NOT_OURS",
                 cat(os::base_name(path), ending, " in the data folder is no regular file")};
  }
  return {};
}

Status check_suitable(const os::Fd& file) {
  if (!os::is_regular_file(file)) return not_ours();
  struct statfs where {};
  if (::fstatfs(file.get(), &where) != 0) return system_error("cannot inspect the store", errno);
  if (where.f_type == NFS_SUPER_MAGIC) {
    return Error{Code::kFailedPrecondition, "STORE_PATH_UNSUITABLE",
                 "the store cannot live on a network file system; choose a data folder on a local "
                 "disk"};
  }
  return {};
}

Error not_ours() {
  return {Code::kFailedPrecondition, "STORE_NOT_OURS",
          "the file is a database of another program; choose another data folder"};
}

Error schema_too_new(int64_t version) {
  return {Code::kFailedPrecondition, "STORE_SCHEMA_TOO_NEW",
          cat("the store has schema ", version, ", this program knows up to ", schema_version(),
              "; install the newer version or restore an older backup")};
}

Result<OpenedFile> open_file(const std::string& path, int64_t checked_at_start) {
  TRY(check_beside(path));
  auto lock = lock_for(path);
  if (!lock.ok()) return unwritable(lock.error());
  if (const Status created = create_private(path); !created.ok()) {
    return unwritable(created.error());
  }
  const bool small = size_of(path) <= checked_at_start;
  auto writer = open_checked(path, small);
  if (!writer.ok()) return means_damage(writer.error()) ? corrupt(writer.error()) : writer.error();
  return OpenedFile{std::move(*lock), std::move(*writer), small};
}

Result<std::unique_ptr<Connection>> open_memory() {
  ASSIGN_OR_RETURN(auto db, Connection::open("", Connection::Mode::kWriter));
  TRY(migrate(*db));
  return db;
}

}  // namespace paddock::store::sqlite
