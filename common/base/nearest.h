// "Did you mean": the closest of a list of words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock {

// How many letters must be changed, added, dropped or swapped with a neighbour.
size_t edit_distance(std::string_view a, std::string_view b);
// The closest word, or empty when none is close.
std::string nearest(std::string_view word, const std::vector<std::string>& words);

}  // namespace paddock
