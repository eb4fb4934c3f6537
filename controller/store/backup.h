// Copies of a store: made while it is in use, put back while it is not.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"

namespace paddock::store {

// Writes what is committed now to a new file of mode 0600, whole or not at all, by SQLite's backup
// API; the store's users go on meanwhile. Answers with its size in bytes. AlreadyExists
// (BACKUP_EXISTS); else as Store::open and Store::write.
Result<int64_t> back_up(const std::string& store_path, const std::string& target);

// STORE_BACKED_UP_ELSEWHERE: of a store in PostgreSQL, which has tools of its own for both.
Error backed_up_elsewhere();

// The file of the backup that somebody who restores calls `given`: a path, or the name under which
// `paddock admin backup` made it in `data_dir`. `given` itself where there is neither.
std::string backup_file(const std::string& data_dir, const std::string& given);

struct Restored {
  int64_t given_up = 0;  // placed runs: how they went on after the backup is not known
  std::string kept;      // where the former store is now; empty: there was none
};
// Puts a backup in the place of the store at `store_path`, whose controller must be stopped
// (STORE_LOCKED). BACKUP_NOT_FOUND: no whole backup is there, and the store is as it was. The
// backup is checked and migrated on a copy first and is left as it is. Resource versions go on far
// above those of the backup, so that no reader takes old for new.
Result<Restored> restore(const std::string& backup, const std::string& store_path, WallTime now);

}  // namespace paddock::store
