// Copies and digests of all rows, over connections of any engine. The callers begin and end the
// transactions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "controller/store/move_store.h"
#include "controller/store/sql/connection.h"

namespace paddock::store::move {

// The last numbers that were given, of each series.
using Given = std::array<int64_t, 3>;
Result<Given> given(sql::Connection& db);

// All of a store as it stands in a transaction.
struct Inventory {
  std::vector<MovedTable> tables;
  Given given{};
};
// Copies everything, and returns a summary of what was read. STORE_DATA_INVALID: a text that
// PostgreSQL cannot keep.
Result<Inventory> copy_all(sql::Connection& from, sql::Connection& to);
Result<Inventory> take_stock(sql::Connection& db);

// STORE_MOVE_DIFFERS, with the first table that is not the same.
Status compare(const Inventory& source, const Inventory& target);

}  // namespace paddock::store::move
