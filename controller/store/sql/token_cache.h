// Tokens as they were read last: every request names one. What changes any of them forgets all,
// after its commit and before it is acknowledged, so a token that was revoked is refused from then
// on. Only what was found is kept: what nobody holds takes no room. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "common/base/guarded.h"
#include "controller/store/store.h"

namespace paddock::store::sql {

class TokenCache {
 public:
  std::optional<TokenRecord> find(const std::string& hash);
  // The number of changes so far. A token that is read after this call is of that state, or of a
  // later one.
  uint64_t changes();
  // Keeps a token that was read after changes() gave `as_of`, unless there was another change
  // since.
  void put(const TokenRecord& token, uint64_t as_of);
  void forget_all();

 private:
  static constexpr size_t kMost = 1'024;
  struct State {
    std::unordered_map<std::string, TokenRecord> by_hash;
    uint64_t changes = 0;
  };
  Guarded<State> state_;
};

}  // namespace paddock::store::sql
