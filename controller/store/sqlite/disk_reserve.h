// Room on the disk that belongs to the store alone, ahead of what it has written: behind the end of
// its database and of its log, which keep their sizes. Once others have filled the disk, whoever
// frees something can still write: that room was never anybody else's, so no one can be quicker.
// While it is not whole, nothing else is written.
#pragma once

#include <cstdint>
#include <string>

#include "common/os/fd.h"
#include "controller/store/sqlite/connection.h"

namespace paddock::store::sqlite {

// The sizes of a database's file, in bytes. Pure.
struct DatabaseRoom {
  int64_t allocated = 0;  // blocks that are its own, also those behind its end
  int64_t pages = 0;      // what the database takes once its log is copied into it
  int64_t unused = 0;     // of them, pages that hold nothing
  int64_t ahead() const { return allocated - pages + unused; }
};

// How a reserve of so many bytes is shared out: half of it is the log's.
struct ReserveParts {
  int64_t log = 0;
  int64_t database = 0;
  int64_t taken_at_once = 0;    // what is taken when less than `database` is left
  int64_t copied_at_pages = 0;  // of the log: so it never needs all of its part
};
// No more of a disk than a 64th; of a small part nothing is kept (all zeros).
ReserveParts reserve_parts(int64_t asked, int64_t disk_bytes);

class DiskReserve {
 public:
  // A reserve for a database that exists. There is none, and it always counts as whole, if `bytes`
  // is 0, the disk is too small, or its file system cannot reserve blocks ahead.
  DiskReserve(const std::string& path, int64_t bytes);
  // Keeps room for the log of the next start: SQLite removes the log when all of it was copied.
  ~DiskReserve();
  DiskReserve(const DiskReserve&) = delete;
  DiskReserve& operator=(const DiskReserve&) = delete;

  const ReserveParts& parts() const { return parts_; }
  bool whole() const { return whole_; }
  // Whether half of what is kept for the database is left.
  bool half_left() const { return ahead_ >= parts_.database / 2; }
  // Called with the connection that writes, before its first change. It takes the whole reserve, if
  // it can be had.
  void begin(Connection& db);
  // Once the log is there, not within a transaction: takes what is missing of it, if it can be had.
  void take(Connection& db);
  // After a commit: what that used is taken anew. The database is asked only once that may be more
  // than was taken at once.
  void look(Connection& db);
  // The disk had no room for a change. False: there was nothing left to give up.
  bool give_up();

 private:
  void set_whole(bool whole);
  bool exists() const { return parts_.log > 0; }
  bool take_for_log();
  bool take_for_index();
  bool take_for_database(Connection& db);
  bool extend(int file, int64_t from, int64_t to);

  std::string path_;
  ReserveParts parts_;
  // Open for as long as SQLite has them: closing one ends the locks of this process on the file.
  os::Fd database_;
  os::Fd index_;
  int64_t ahead_ = 0;      // when the database was asked last
  int64_t used_ = 0;       // of that, at most, since then
  int64_t allocated_ = 0;  // then, of the file
  bool whole_ = false;
};

}  // namespace paddock::store::sqlite
