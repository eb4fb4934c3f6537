// Who is served next of those that wait for any node, and how much of it one caller may have. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::calls {

// How many of its calls each caller has on nodes now.
using Held = std::map<std::string, size_t, std::less<>>;

// When each caller was served last, in turns. One of whom nothing is known comes before all others.
class Turns {
 public:
  explicit Turns(size_t most_callers = 4'096) : most_callers_(most_callers) {}
  void note(std::string_view caller);
  uint64_t last(std::string_view caller) const;

 private:
  size_t most_callers_;  // the one that was served longest ago is forgotten
  uint64_t turn_ = 0;
  std::map<std::string, uint64_t, std::less<>> last_;
};

// Of `total`, what one caller may have at once: three quarters, rounded up.
size_t share_of(size_t total);

// `waiting`: the callers of what waits, the oldest first. The place in it of the one to serve: of
// those who hold less than `most`, who holds fewest; among equals who was served longest ago, then
// the oldest. Nothing: each holds its most, or nobody waits.
std::optional<size_t> next_in_turn(const std::vector<std::string_view>& waiting, const Held& held,
                                   const Turns& turns, size_t most);

}  // namespace paddock::calls
