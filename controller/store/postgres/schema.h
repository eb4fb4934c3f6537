// The tables of a store in PostgreSQL, and their history: an ordered list, as SQLite's.
#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "controller/store/postgres/connection.h"

namespace paddock::store::postgres {

int64_t schema_version();  // the newest that this program knows
Error schema_too_new(int64_t version);

// The name of the table `paddock_leader` once the store was moved away from here.
inline constexpr const char* kMovedAway = "paddock_moved_away";

// Tables and views of whomever.
Result<int64_t> count_tables(Connection& db);
// 0: the database is empty. STORE_NOT_OURS, STORE_MOVED_AWAY.
Result<int64_t> stored_schema(Connection& db);
// Within a transaction: makes the tables, or brings older ones up to date. STORE_NOT_OURS,
// STORE_MOVED_AWAY, STORE_SCHEMA_TOO_NEW.
Status prepare_schema(Connection& db);

}  // namespace paddock::store::postgres
