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

// Of a store's file, which is open: STORE_PATH_UNSUITABLE.
Status check_suitable(const os::Fd& file);
Error not_ours();                       // STORE_NOT_OURS
Error schema_too_new(int64_t version);  // STORE_SCHEMA_TOO_NEW

}  // namespace paddock::store::sqlite
