#include "controller/nodes/leases.h"

#include <algorithm>

namespace paddock::nodes {

Status LeaseTable::renew(const std::string& node, const std::string& process, int64_t generation,
                         Now now) {
  return state_.with([&](State& state) -> Status {
    auto& entries = state.entries;
    const auto [at, first] = entries.try_emplace(node);
    Entry& entry = at->second;
    const bool same = entry.process == process;
    if (!first && !same && generation <= entry.generation) {
      return Error{Code::kConflict, "SESSION_SUPERSEDED",
                   "a newer agent process speaks for this node; this one must stop"};
    }
    entry.process = process;
    entry.generation = generation;
    entry.renewed = now.mono;
    entry.seen = now.wall;
    return {};
  });
}

void LeaseTable::begin_anew(MonoTime now) {
  state_.with([&](State& state) { state.listening = std::max(state.listening, now); });
}

Millis LeaseTable::silence(const std::string& node, MonoTime now) const {
  return state_.with([&](const State& state) {
    const auto at = state.entries.find(node);
    const MonoTime heard = at == state.entries.end() ? MonoTime{} : at->second.renewed;
    return now - std::max(heard, state.listening);
  });
}

std::optional<WallTime> LeaseTable::last_seen(const std::string& node) const {
  return state_.with([&](const State& state) {
    const auto at = state.entries.find(node);
    return at == state.entries.end() ? std::optional<WallTime>() : at->second.seen;
  });
}

void LeaseTable::forget(const std::string& node) {
  state_.with([&](State& state) { state.entries.erase(node); });
}

void LeaseTable::know(const std::string& node, StoredState known) {
  state_.with([&](State& state) {
    const auto at = state.entries.find(node);
    if (at != state.entries.end()) at->second.known = std::move(known);
  });
}

bool LeaseTable::knows(const std::string& node, const StoredState& known) const {
  return state_.with([&](const State& state) {
    const auto at = state.entries.find(node);
    return at != state.entries.end() && at->second.known == known;
  });
}

}  // namespace paddock::nodes
