#include "controller/calls/taken_input.h"

#include <algorithm>

namespace paddock::calls {

void TakenInput::begin(const std::string& name, const std::string& caller,
                       const std::string& name_space) {
  state_.with([&](State& state) {
    if (state.entries.insert_or_assign(name, Entry{caller, name_space}).second)
      state.begun.push_back(name);
    if (state.begun.size() <= kMost) return;
    state.entries.erase(state.begun.front());
    state.begun.pop_front();
  });
}

void TakenInput::took(const std::string& name, int64_t next) {
  state_.with([&](State& state) {
    const auto found = state.entries.find(name);
    if (found != state.entries.end()) found->second.next = std::max(found->second.next, next);
  });
}

std::optional<int64_t> TakenInput::settled(const std::string& name, const std::string& caller,
                                           const std::string& name_space,
                                           const contracts::InputPiece& piece) const {
  return state_.with([&](const State& state) -> std::optional<int64_t> {
    const auto found = state.entries.find(name);
    if (found == state.entries.end()) return std::nullopt;
    const Entry& entry = found->second;
    if (entry.caller != caller || entry.name_space != name_space) return std::nullopt;
    if (piece.seq < entry.next) return entry.next;
    const bool only_ends = piece.end && piece.data.empty() && piece.seq == entry.next;
    return only_ends ? std::optional(piece.seq + 1) : std::nullopt;
  });
}

}  // namespace paddock::calls
