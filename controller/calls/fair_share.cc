#include "controller/calls/fair_share.h"

#include <algorithm>
#include <utility>

namespace paddock::calls {

void Turns::note(std::string_view caller) {
  ++turn_;
  if (const auto found = last_.find(caller); found != last_.end()) {
    found->second = turn_;
    return;
  }
  if (last_.size() >= most_callers_) {
    last_.erase(std::ranges::min_element(
        last_, [](const auto& one, const auto& other) { return one.second < other.second; }));
  }
  last_.emplace(caller, turn_);
}

uint64_t Turns::last(std::string_view caller) const {
  const auto found = last_.find(caller);
  return found == last_.end() ? 0 : found->second;
}

size_t share_of(size_t total) { return total - total / 4; }

std::optional<size_t> next_in_turn(const std::vector<std::string_view>& waiting, const Held& held,
                                   const Turns& turns, size_t most) {
  std::optional<size_t> best;
  std::pair<size_t, uint64_t> least;
  for (size_t i = 0; i < waiting.size(); ++i) {
    const auto found = held.find(waiting[i]);
    const std::pair has{found == held.end() ? size_t{0} : found->second, turns.last(waiting[i])};
    if (has.first >= most || (best && has >= least)) continue;
    least = has;
    best = i;
  }
  return best;
}

}  // namespace paddock::calls
