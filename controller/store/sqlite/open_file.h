// Everything that must hold before a file is used as our store. Each step refuses with its reason.
#pragma once

#include <memory>
#include <string>

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

}  // namespace paddock::store::sqlite
