// Moves all records of an instance from its SQLite file to an empty PostgreSQL database, or from
// such a database to a new file, while no controller uses either. Rows are copied as they are, with
// the numbers that were given, so that watches, keys and the audit log's chain go on behind the
// move. What arrived is read back and compared. Half of it is never taken for a store: at the
// database it is one transaction; the file has another name until it is whole; and what is between
// the two ends is written down beside the file (`FILE.move`), for the same command to finish.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/random.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/store/store.h"

namespace paddock::store {

enum class MoveTo { kPostgres, kSqlite };
std::string_view word_of(MoveTo to);  // as the command line has it

struct MovePlaces {
  std::string file;  // of the SQLite store; its folder is locked by the caller
  PostgresOptions postgres;
};

struct MovedTable {
  std::string name;
  int64_t rows = 0;
  std::string digest;  // SHA-256 of its rows in the order of their keys, the same in both engines
  friend bool operator==(const MovedTable&, const MovedTable&) = default;
};

struct Moved {
  std::vector<MovedTable> tables;  // empty: an earlier move had done all but the last step
  std::string kept;                // to PostgreSQL: where the file is now
};

// STORE_LOCKED, STORE_NOTHING_TO_MOVE, STORE_NOT_EMPTY (the target), STORE_SCHEMA_TOO_OLD,
// STORE_SCHEMA_TOO_NEW, STORE_NOT_OURS, STORE_MOVED_AWAY (the source), STORE_MOVE_UNFINISHED (one
// in the other direction), STORE_MOVE_DIFFERS, STORE_DATA_INVALID; as Store::open and Store::write.
// After any of them the source is as it was. STORE_OUTCOME_UNKNOWN: the same again finishes it.
Result<Moved> move_store(MoveTo to, const MovePlaces& places, WallTime now, Random& random);

// Before a store is opened: STORE_MOVE_UNFINISHED if a move has begun to take it, or to bring it,
// and what became of that is not known here.
Status check_not_moving(const std::string& file);

}  // namespace paddock::store
