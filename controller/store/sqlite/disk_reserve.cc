#include "controller/store/sqlite/disk_reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <utility>

#include "common/base/log.h"
#include "common/os/disk_space.h"

namespace paddock::store::sqlite {

namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kLeastReserve = 4 << 20;  // a few changes of every kind fit into its parts
constexpr int64_t kShareOfDisk = 64;
constexpr int64_t kMostLogPages = 4000;  // before it is copied
constexpr int64_t kMostLog = 64 << 20;   // SQLite cuts off what is beyond (open_file.cc)
// Not the last block of a disk: others keep a little there too.
constexpr int64_t kLeftToOthers = 256 << 10;
// The log's index grows by one block for so many of the log's pages.
constexpr int64_t kIndexBlock = 32 << 10;
constexpr int64_t kPagesOfIndexBlock = 4096;

struct Disk {
  int64_t all = 0;
  int64_t free = 0;
};
Disk disk_of(int file) {
  struct statvfs room = {};
  if (::fstatvfs(file, &room) != 0) return {};
  const auto block = static_cast<int64_t>(room.f_frsize);
  return {static_cast<int64_t>(room.f_blocks) * block, static_cast<int64_t>(room.f_bavail) * block};
}

// Pages that this connection wrote since it was asked last. Each takes one of those ahead at most.
int64_t pages_written(Connection& db) {
  int now = 0;
  int highest = 0;
  sqlite3_db_status(db.handle(), SQLITE_DBSTATUS_CACHE_WRITE, &now, &highest, 1);
  return now;
}

int64_t allocated(int file) {
  struct stat info = {};
  return ::fstat(file, &info) == 0 ? static_cast<int64_t>(info.st_blocks) * 512 : 0;
}

os::Fd open_beside(const std::string& path, int flags) {
  return os::Fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
}

// SQLite's own methods, except that a file is not truncated to the size that it has: each
// checkpoint ends like that, and would give back the room that is reserved behind the file's end.
struct KeepingMethods : sqlite3_io_methods {
  explicit KeepingMethods(const sqlite3_io_methods& own) : sqlite3_io_methods(own), of_sqlite(own) {
    xTruncate = [](sqlite3_file* file, sqlite3_int64 size) {
      const auto& methods = *static_cast<const KeepingMethods*>(file->pMethods);
      sqlite3_int64 now = 0;
      const int rc = methods.of_sqlite.xFileSize(file, &now);
      return rc == SQLITE_OK && now == size ? SQLITE_OK : methods.of_sqlite.xTruncate(file, size);
    };
  }
  const sqlite3_io_methods& of_sqlite;
};

// Replaces the file's methods by ours. SQLite's own are remembered from the first file; a file that
// has others stays as it is.
void keep_room_behind_end(Connection& db) {
  sqlite3_file* file = nullptr;
  const int rc = sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_FILE_POINTER,
                                      static_cast<void*>(&file));
  if (rc != SQLITE_OK || file == nullptr || file->pMethods == nullptr) return;
  static const KeepingMethods keeping(*file->pMethods);
  if (file->pMethods == &keeping.of_sqlite) file->pMethods = &keeping;
}

}  // namespace

ReserveParts reserve_parts(int64_t asked, int64_t disk_bytes) {
  const int64_t bytes = std::min(asked, disk_bytes / kShareOfDisk) / 2 / kPage * kPage * 2;
  if (bytes < kLeastReserve) return {0, 0, 0, kMostLogPages};
  const int64_t log = std::min(bytes / 2, kMostLog);
  const int64_t database = bytes - log;
  return {log, database, database + database / 8, std::min(kMostLogPages, log / 2 / kPage)};
}

DiskReserve::DiskReserve(const std::string& path, int64_t bytes)
    : path_(path), database_(open_beside(path, 0)) {
  parts_ = reserve_parts(bytes, disk_of(database_.get()).all);
  whole_ = !exists();
}

// Reserves for the log again what it had until now. This is done at once, so that no other process
// that waits for room can take it first.
DiskReserve::~DiskReserve() {
  if (!exists()) return;
  const os::Fd log = open_beside(path_ + "-wal", O_CREAT);
  if (log.valid() && allocated(log.get()) < parts_.log)
    (void)os::keep_room(log.get(), 0, parts_.log);
}

// Without a word where there is no room; a file system that cannot do this has no reserve.
bool DiskReserve::extend(int file, int64_t from, int64_t to) {
  if (from >= to) return true;
  if (disk_of(file).free < to - from + kLeftToOthers) return false;
  if (!os::keep_room(file, 0, to).ok()) return false;
  if (allocated(file) >= to) return true;
  log_warn("the file system of the data folder keeps no room: there is no reserve for a full disk");
  parts_ = {0, 0, 0, kMostLogPages};
  return true;
}

bool DiskReserve::take_for_log() {
  const os::Fd log = open_beside(path_ + "-wal", O_CREAT);
  return log.valid() && extend(log.get(), allocated(log.get()), parts_.log);
}

bool DiskReserve::take_for_index() {
  if (!index_.valid()) index_ = open_beside(path_ + "-shm", 0);
  const int64_t blocks = parts_.log / kPage / kPagesOfIndexBlock + 2;
  return index_.valid() && extend(index_.get(), allocated(index_.get()), blocks * kIndexBlock);
}

bool DiskReserve::take_for_database(Connection& db) {
  const auto pages = db.pragma("PRAGMA page_count");
  const auto unused = db.pragma("PRAGMA freelist_count");
  if (!pages.ok() || !unused.ok()) return false;
  const DatabaseRoom room{allocated(database_.get()), *pages * kPage, *unused * kPage};
  ahead_ = room.ahead();
  used_ = 0;
  allocated_ = room.allocated;
  if (ahead_ >= parts_.database) return true;
  const int64_t wanted = room.allocated - ahead_ + parts_.taken_at_once;
  if (!extend(database_.get(), room.allocated, wanted)) return false;
  ahead_ = parts_.taken_at_once;
  allocated_ = allocated(database_.get());
  return true;
}

void DiskReserve::set_whole(bool whole) {
  const bool before = std::exchange(whole_, whole || !exists());
  if (before && !whole_)
    log_warn("the disk of the data folder is full: only what frees something is written",
             {{"reason", Reason("STORE_FULL")}});
  if (!before && whole_ && exists()) log_info("the store has its reserve of the disk");
}

void DiskReserve::begin(Connection& db) {
  if (exists()) keep_room_behind_end(db);
  take(db);
}

void DiskReserve::take(Connection& db) {
  if (!exists()) return;
  const bool log = take_for_log();
  const bool index = take_for_index();
  set_whole(take_for_database(db) && log && index);
}

void DiskReserve::look(Connection& db) {
  if (!exists()) return;
  used_ += pages_written(db) * kPage;
  const bool as_it_was = allocated(database_.get()) == allocated_;
  if (whole_ && as_it_was && ahead_ - used_ >= parts_.database) return;
  const bool enough = take_for_database(db);
  if (whole_) set_whole(enough);
}

bool DiskReserve::give_up() {
  if (!exists() || !whole_) return false;
  set_whole(false);
  return true;
}

}  // namespace paddock::store::sqlite
