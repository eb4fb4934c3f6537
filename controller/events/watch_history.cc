#include "controller/events/watch_history.h"

#include <algorithm>
#include <cstdint>

namespace paddock::events {
namespace {

Error too_old(int64_t asked, int64_t oldest) {
  return {Code::kGone, "RESOURCE_VERSION_TOO_OLD",
          cat("too old resource version: ", asked, " (", oldest, "); list again")};
}

// The memory that a change may take: two texts, although the older text mostly belongs to the
// change before as well.
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
      add(kind, space_at->second, std::move(change));
      trim(kind, space_at->second);
    }
  });
}

void WatchHistory::add(Kind& kind, Space& space, store::ObjectWrite change) {
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
  kind.bytes += cost;
  kind.changes.emplace(entry->resource_version, entry);
  space.changes.push_back(std::move(entry));
}

void WatchHistory::drop_oldest(Kind& kind, Space& space) {
  const ObjectChange& oldest = *space.changes.front();
  const auto newest = space.newest.find(oldest.key.name);
  const Text& text = oldest.after ? oldest.after : oldest.before;
  if (newest != space.newest.end() && newest->second == text) space.newest.erase(newest);
  const size_t cost = cost_of(oldest);
  space.bytes -= cost;
  kind.bytes -= cost;
  space.lost_up_to = oldest.resource_version;
  kind.lost_up_to = std::max(kind.lost_up_to, oldest.resource_version);
  kind.changes.erase(oldest.resource_version);
  space.changes.pop_front();
}

WatchHistory::Space& WatchHistory::space_of_oldest(Kind& kind) {
  return kind.spaces.find(kind.changes.begin()->second->key.name_space)->second;
}

// If no namespace has more than half, the oldest change is dropped, whichever namespace it is of.
// Otherwise changes of small namespaces would be kept for ever, and those of active ones not at
// all.
void WatchHistory::trim(Kind& kind, Space& written) const {
  const auto until = [&](size_t limit, const auto& total, Space*& most, const auto& size) {
    for (;;) {
      if (most == nullptr || size(written) > size(*most)) most = &written;
      if (total() <= limit) return;
      drop_oldest(kind, size(*most) > limit / 2 ? *most : space_of_oldest(kind));
    }
  };
  until(
      limits_.bytes, [&] { return kind.bytes; }, kind.most_bytes,
      [](const Space& each) { return each.bytes; });
  until(
      limits_.changes, [&] { return kind.changes.size(); }, kind.most_changes,
      [](const Space& each) { return each.changes.size(); });
}

void WatchHistory::take(const Space& space, int64_t after, size_t count, std::vector<Change>& out) {
  auto next = std::ranges::upper_bound(space.changes, after, {},
                                       [](const auto& each) { return each->resource_version; });
  for (; next != space.changes.end() && out.size() < count; ++next) out.push_back(*next);
}

void WatchHistory::take(const Kind& kind, int64_t after, size_t count, std::vector<Change>& out) {
  auto next = kind.changes.upper_bound(after);
  for (; next != kind.changes.end() && out.size() < count; ++next) out.push_back(next->second);
}

template <class From>
Result<WatchHistory::Look> WatchHistory::look_into(const State& state, const From* from,
                                                   int64_t resource_version, size_t most) {
  const int64_t lost = from == nullptr ? state.begun_at : from->lost_up_to;
  if (resource_version < lost) return too_old(resource_version, lost);
  Look look;
  look.up_to = std::max(resource_version, state.up_to);
  if (from != nullptr) take(*from, resource_version, most + 1, look.changes);
  if (look.changes.size() > most) {
    look.changes.resize(most);
    look.up_to = look.changes.back()->resource_version;
  }
  return look;
}

Result<WatchHistory::Look> WatchHistory::after(std::string_view kind, int64_t resource_version,
                                               size_t most,
                                               const std::optional<std::string>& name_space) const {
  return state_.with([&](const State& state) -> Result<Look> {
    if (state.closed) return *state.closed;
    const auto found = state.kinds.find(kind);
    const Kind* all = found == state.kinds.end() ? nullptr : &found->second;
    if (all == nullptr || !name_space) return look_into(state, all, resource_version, most);
    const auto one = all->spaces.find(*name_space);
    return look_into(state, one == all->spaces.end() ? nullptr : &one->second, resource_version,
                     most);
  });
}

}  // namespace paddock::events
