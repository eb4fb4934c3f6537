// Lists that are sets: the order is that of the first mention.
#pragma once

#include <algorithm>
#include <vector>

namespace paddock {

// Appends those of `more` that are not there yet.
template <class T>
void append_new(std::vector<T>& to, const std::vector<T>& more) {
  for (const T& each : more) {
    if (std::ranges::find(to, each) == to.end()) to.push_back(each);
  }
}

}  // namespace paddock
