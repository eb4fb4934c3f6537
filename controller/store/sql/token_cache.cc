#include "controller/store/sql/token_cache.h"

namespace paddock::store::sql {

std::optional<TokenRecord> TokenCache::find(const std::string& hash) {
  return state_.with([&](const State& state) -> std::optional<TokenRecord> {
    const auto found = state.by_hash.find(hash);
    if (found == state.by_hash.end()) return std::nullopt;
    return found->second;
  });
}

uint64_t TokenCache::changes() {
  return state_.with([](const State& state) { return state.changes; });
}

void TokenCache::put(const TokenRecord& token, uint64_t as_of) {
  state_.with([&](State& state) {
    if (state.changes != as_of) return;
    if (state.by_hash.size() >= kMost) state.by_hash.clear();
    state.by_hash[token.hash] = token;
  });
}

void TokenCache::forget_all() {
  state_.with([](State& state) {
    state.by_hash.clear();
    ++state.changes;
  });
}

}  // namespace paddock::store::sql
