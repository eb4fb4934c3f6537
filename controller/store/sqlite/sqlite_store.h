// The store in a SQLite file, or in memory.
#pragma once

#include <memory>

#include "controller/store/store.h"

namespace paddock::store::sqlite {

// As Store::open.
Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

}  // namespace paddock::store::sqlite
