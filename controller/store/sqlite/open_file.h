// Everything that must hold before a file is used as our store. Each step refuses with its reason.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/os/fd.h"
#include "common/os/lock_file.h"
#include "controller/store/sqlite/connection.h"

namespace paddock::store::sqlite {

struct OpenedFile {
  os::LockFile lock;  // held while the store lives
  std::unique_ptr<Connection> writer;
  bool known_sound = false;  // all of it was looked at
};
// Locks, checks and migrates. Reasons as Store::open.
Result<OpenedFile> open_file(const std::string& path, int64_t checked_at_start);
Result<std::unique_ptr<Connection>> open_memory();

// The marks in a database file that say which program and schema it is of.
struct Marks {
  int64_t application = 0;
  int64_t schema = 0;
  bool has_tables = false;
};
// STORE_NOT_OURS, STORE_SCHEMA_TOO_NEW; one without any mark and without tables becomes ours.
Status check_marks(const Marks& marks);
// Checks the open file of a store: STORE_NOT_OURS if it is no regular file, STORE_PATH_UNSUITABLE.
Status check_suitable(const os::Fd& file);
// Checks that the files which SQLite and we keep beside a store's file are regular files, if they
// exist: STORE_NOT_OURS.
Status check_beside(const std::string& path);
Error not_ours();                       // STORE_NOT_OURS
Error schema_too_new(int64_t version);  // STORE_SCHEMA_TOO_NEW

}  // namespace paddock::store::sqlite
