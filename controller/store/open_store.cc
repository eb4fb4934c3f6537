#include "controller/store/postgres/postgres_store.h"
#include "controller/store/sqlite/sqlite_store.h"
#include "controller/store/store.h"

namespace paddock::store {

Result<std::optional<TokenRecord>> Store::token_by_hash(const std::string& hash) {
  std::optional<TokenRecord> out;
  TRY(read([&](ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(out, txn.token_by_hash(hash));
    return {};
  }));
  return out;
}

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  if (options.postgres) return postgres::open_store(options);
  return sqlite::open_store(options);
}

}  // namespace paddock::store
