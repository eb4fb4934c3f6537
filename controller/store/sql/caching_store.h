// The caches of a store, the same for every engine.
#pragma once

#include "controller/store/sql/decoded_cache.h"
#include "controller/store/sql/token_cache.h"
#include "controller/store/store.h"

namespace paddock::store::sql {

class CachingStore : public Store {
 public:
  Result<std::optional<TokenRecord>> token_by_hash(const std::string& hash) override {
    if (auto known = tokens_.find(hash)) return known;
    const uint64_t as_of = tokens_.changes();
    ASSIGN_OR_RETURN(auto found, Store::token_by_hash(hash));
    if (found) tokens_.put(*found, as_of);
    return found;
  }

 protected:
  DecodedCache cache_;
  TokenCache tokens_;
};

}  // namespace paddock::store::sql
