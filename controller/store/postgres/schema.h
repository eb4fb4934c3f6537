// The tables of a store in PostgreSQL, and their history: an ordered list, as SQLite's.
#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "controller/store/postgres/connection.h"

namespace paddock::store::postgres {

int64_t schema_version();  // the newest that this program knows

// Within a transaction: makes the tables, or brings older ones up to date. STORE_NOT_OURS,
// STORE_SCHEMA_TOO_NEW.
Status prepare_schema(Connection& db);

}  // namespace paddock::store::postgres
