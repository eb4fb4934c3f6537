#include "controller/store/sql/decoded_cache.h"

#include <utility>

namespace paddock::store::sql {

std::shared_ptr<const void> DecodedCache::find(int64_t resource_version) {
  return state_.with([&](State& state) -> std::shared_ptr<const void> {
    const auto found = state.by_version.find(resource_version);
    if (found == state.by_version.end()) return nullptr;
    state.entries.splice(state.entries.begin(), state.entries, found->second);
    return found->second->object;
  });
}

void DecodedCache::put(Decoded decoded) {
  if (decoded.bytes > most_bytes_ / 4) return;  // one object does not drive out all others
  std::list<Decoded> gone;                      // destroyed once the lock is not held any more
  state_.with([&](State& state) {
    if (state.by_version.contains(decoded.resource_version)) return;
    state.bytes += decoded.bytes;
    state.entries.push_front(std::move(decoded));
    state.by_version[state.entries.front().resource_version] = state.entries.begin();
    while (state.bytes > most_bytes_) {
      state.bytes -= state.entries.back().bytes;
      state.by_version.erase(state.entries.back().resource_version);
      gone.splice(gone.begin(), state.entries, std::prev(state.entries.end()));
    }
  });
}

}  // namespace paddock::store::sql
