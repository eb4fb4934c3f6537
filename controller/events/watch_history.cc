#include "controller/events/watch_history.h"

#include <algorithm>

namespace paddock::events {
namespace {

Error too_old(int64_t asked, int64_t oldest) {
  return {Code::kGone, "RESOURCE_VERSION_TOO_OLD",
          cat("too old resource version: ", asked, " (", oldest, "); list again")};
}

// What a change may hold: two texts, although the one before mostly belongs to the change before.
size_t cost_of(const ObjectChange& change) {
  constexpr size_t kOverhead = 256;
  return kOverhead + (change.before ? change.before->size() : 0) +
         (change.after ? change.after->size() : 0);
}

}  // namespace

void WatchHistory::begin(int64_t resource_version) {
  state_.with([&](State& state) {
    state.kinds.clear();
    state.begun_at = state.up_to = resource_version;
  });
}

int64_t WatchHistory::up_to() const {
  return state_.with([](const State& state) { return state.up_to; });
}

void WatchHistory::publish(std::vector<store::ObjectWrite> changes) {
  state_.with([&](State& state) {
    for (store::ObjectWrite& change : changes) {
      const auto [place, fresh] = state.kinds.try_emplace(change.kind);
      Kind& kind = place->second;
      if (fresh) kind.lost_up_to = state.begun_at;
      state.up_to = std::max(state.up_to, change.resource_version);
      add(kind, std::move(change));
      trim(kind);
    }
  });
}

void WatchHistory::add(Kind& kind, store::ObjectWrite change) {
  auto entry = std::make_shared<ObjectChange>();
  entry->resource_version = change.resource_version;
  Text& newest = kind.newest[{change.key.name_space, change.key.name}];
  if (change.op != store::ObjectWrite::Op::kCreate) {
    const bool shared = newest && *newest == change.before;
    entry->before = shared ? newest : std::make_shared<const std::string>(std::move(change.before));
  }
  if (change.op != store::ObjectWrite::Op::kDelete)
    entry->after = std::make_shared<const std::string>(std::move(change.after));
  newest = entry->after ? entry->after : entry->before;
  entry->key = std::move(change.key);
  kind.bytes += cost_of(*entry);
  kind.changes.push_back(std::move(entry));
}

void WatchHistory::trim(Kind& kind) const {
  while (kind.changes.size() > limits_.changes || kind.bytes > limits_.bytes) {
    const ObjectChange& oldest = *kind.changes.front();
    const auto newest = kind.newest.find({oldest.key.name_space, oldest.key.name});
    const Text& text = oldest.after ? oldest.after : oldest.before;
    if (newest != kind.newest.end() && newest->second == text) kind.newest.erase(newest);
    kind.bytes -= cost_of(oldest);
    kind.lost_up_to = oldest.resource_version;
    kind.changes.pop_front();
  }
}

Result<WatchHistory::Look> WatchHistory::after(std::string_view kind, int64_t resource_version,
                                               size_t most) const {
  return state_.with([&](const State& state) -> Result<Look> {
    Look look;
    look.up_to = std::max(resource_version, state.up_to);
    const auto found = state.kinds.find(kind);
    const int64_t lost = found == state.kinds.end() ? state.begun_at : found->second.lost_up_to;
    if (resource_version < lost) return too_old(resource_version, lost);
    if (found == state.kinds.end()) return look;
    const auto& changes = found->second.changes;
    auto next = std::ranges::upper_bound(changes, resource_version, {},
                                         [](const auto& each) { return each->resource_version; });
    for (; next != changes.end(); ++next) {
      if (look.changes.size() == most) {
        look.up_to = look.changes.back()->resource_version;
        break;
      }
      look.changes.push_back(*next);
    }
    return look;
  });
}

}  // namespace paddock::events
