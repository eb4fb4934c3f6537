#include "controller/store/examine.h"

#include "controller/store/postgres/examine.h"
#include "controller/store/sqlite/examine.h"

namespace paddock::store {

Result<Examined> examine(const StoreOptions& options, const Clock& clock) {
  if (options.postgres) return postgres::examine(*options.postgres, clock);
  return sqlite::examine(options.path);
}

}  // namespace paddock::store
