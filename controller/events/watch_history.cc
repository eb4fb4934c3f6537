#include "controller/events/watch_history.h"

#include <algorithm>
#include <cstdint>

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

void WatchHistory::close(const Error& why) {
  state_.with([&](State& state) { state.closed = why; });
}

void WatchHistory::reopen() {
  state_.with([](State& state) { state.closed.reset(); });
}

int64_t WatchHistory::up_to() const {
  return state_.with([](const State& state) { return state.up_to; });
}

void WatchHistory::publish(std::vector<store::ObjectWrite> changes) {
  state_.with([&](State& state) {
    for (store::ObjectWrite& change : changes) {
      const auto [kind_at, new_kind] = state.kinds.try_emplace(change.kind);
      Kind& kind = kind_at->second;
      if (new_kind) kind.lost_up_to = state.begun_at;
      const auto [space_at, new_space] = kind.spaces.try_emplace(change.key.name_space);
      if (new_space) space_at->second.lost_up_to = state.begun_at;
      state.up_to = std::max(state.up_to, change.resource_version);
      kind.bytes += add(space_at->second, std::move(change));
      ++kind.changes;
      trim(kind);
    }
  });
}

size_t WatchHistory::add(Space& space, store::ObjectWrite change) {
  auto entry = std::make_shared<ObjectChange>();
  entry->resource_version = change.resource_version;
  Text& newest = space.newest[change.key.name];
  if (change.op != store::ObjectWrite::Op::kCreate) {
    const bool shared = newest && *newest == change.before;
    entry->before = shared ? newest : std::make_shared<const std::string>(std::move(change.before));
  }
  if (change.op != store::ObjectWrite::Op::kDelete)
    entry->after = std::make_shared<const std::string>(std::move(change.after));
  newest = entry->after ? entry->after : entry->before;
  entry->key = std::move(change.key);
  const size_t cost = cost_of(*entry);
  space.bytes += cost;
  space.changes.push_back(std::move(entry));
  return cost;
}

void WatchHistory::drop_oldest(Kind& kind, Space& space) {
  const ObjectChange& oldest = *space.changes.front();
  const auto newest = space.newest.find(oldest.key.name);
  const Text& text = oldest.after ? oldest.after : oldest.before;
  if (newest != space.newest.end() && newest->second == text) space.newest.erase(newest);
  const size_t cost = cost_of(oldest);
  space.bytes -= cost;
  kind.bytes -= cost;
  --kind.changes;
  space.lost_up_to = oldest.resource_version;
  kind.lost_up_to = std::max(kind.lost_up_to, oldest.resource_version);
  space.changes.pop_front();
}

// Where no namespace has more than half, each loses what is oldest: else those that have little and
// change nothing would keep it for ever, and whoever changes something could not keep it.
template <class Size>
WatchHistory::Space& WatchHistory::next_to_lose(Kind& kind, size_t limit, const Size& size) {
  const auto size_of = [&](const auto& each) { return size(each.second); };
  const auto largest = std::ranges::max_element(kind.spaces, {}, size_of);
  if (size(largest->second) > limit / 2) return largest->second;
  const auto oldest = [](const auto& each) {
    const auto& changes = each.second.changes;
    return changes.empty() ? INT64_MAX : changes.front()->resource_version;
  };
  return std::ranges::min_element(kind.spaces, {}, oldest)->second;
}

void WatchHistory::trim(Kind& kind) const {
  const auto bytes = [](const Space& each) { return each.bytes; };
  const auto changes = [](const Space& each) { return each.changes.size(); };
  while (kind.bytes > limits_.bytes) drop_oldest(kind, next_to_lose(kind, limits_.bytes, bytes));
  while (kind.changes > limits_.changes)
    drop_oldest(kind, next_to_lose(kind, limits_.changes, changes));
}

void WatchHistory::take(const Space& space, int64_t after, size_t most, std::vector<Change>& out) {
  auto next = std::ranges::upper_bound(space.changes, after, {},
                                       [](const auto& each) { return each->resource_version; });
  for (; next != space.changes.end() && most > 0; ++next, --most) out.push_back(*next);
}

Result<WatchHistory::Look> WatchHistory::after(std::string_view kind, int64_t resource_version,
                                               size_t most,
                                               const std::optional<std::string>& name_space) const {
  return state_.with([&](const State& state) -> Result<Look> {
    if (state.closed) return *state.closed;
    Look look;
    look.up_to = std::max(resource_version, state.up_to);
    const auto found = state.kinds.find(kind);
    const Spaces* spaces = found == state.kinds.end() ? nullptr : &found->second.spaces;
    int64_t lost = spaces == nullptr ? state.begun_at : found->second.lost_up_to;
    const Space* one = nullptr;
    if (spaces != nullptr && name_space) {
      const auto at = spaces->find(*name_space);
      if (at != spaces->end()) one = &at->second;
      lost = one == nullptr ? state.begun_at : one->lost_up_to;
    }
    if (resource_version < lost) return too_old(resource_version, lost);
    if (one != nullptr) take(*one, resource_version, most + 1, look.changes);
    if (spaces != nullptr && !name_space) {
      for (const auto& [name, each] : *spaces) take(each, resource_version, most + 1, look.changes);
      std::ranges::sort(look.changes, {}, [](const auto& each) { return each->resource_version; });
    }
    if (look.changes.size() > most) {
      look.changes.resize(most);
      look.up_to = look.changes.back()->resource_version;
    }
    return look;
  });
}

}  // namespace paddock::events
