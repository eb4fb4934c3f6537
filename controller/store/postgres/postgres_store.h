// The store in a PostgreSQL database.
#pragma once

#include <memory>

#include "controller/store/store.h"

namespace paddock::store::postgres {

// As Store::open, with options.postgres.
Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

}  // namespace paddock::store::postgres
