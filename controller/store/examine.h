// Finds the errors that a store would give at a controller's start, without changing anything: no
// table is made, no lead taken, no file written. Safe beside a controller that uses the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/store/store.h"

namespace paddock::store {

struct Examined {
  std::string engine;           // for people, with the server's version
  int64_t schema = 0;           // 0: nothing is there yet
  int64_t newest_schema = 0;    // that this program knows
  std::string leader;           // of a database: who leads it now; empty: nobody
  std::optional<Millis> ahead;  // of a database: how far its clock is ahead of this host's
};

// Errors are those of Store::open except STORE_LOCKED, as it is no fault that another controller
// leads. Whether a database is full can be found out only by a temporary table in a transaction
// that is undone: STORE_FULL.
Result<Examined> examine(const StoreOptions& options, const Clock& clock);

}  // namespace paddock::store
