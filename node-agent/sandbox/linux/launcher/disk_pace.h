// For how long the disk's watch rests after a count, so that counting a large folder takes a tenth
// of one processor at most. Pure.
#pragma once

#include <algorithm>

#include "common/base/time.h"

namespace paddock::sandbox {

// `folder`, `processes`: how long it took to count each. A run that goes on meanwhile (not `still`)
// can delay the count of what its processes hold open, and must not win much time by it.
constexpr Millis rest_after(Millis folder, Millis processes, bool still) {
  constexpr Millis kLongestOfWhoDelays{2'000};
  const Millis rest = 9 * processes;
  return 9 * folder + (still ? rest : std::min(rest, kLongestOfWhoDelays));
}

}  // namespace paddock::sandbox
