// For how long the disk's watch rests after a count, so that counting a large folder takes a tenth
// of one processor at most. Pure.
#pragma once

#include <algorithm>

#include "common/base/time.h"

namespace paddock::sandbox {

// `folder`, `processes`: how long it took to count each. A run can delay the count of what its
// processes hold open, and must not win much time by it.
constexpr Millis rest_after(Millis folder, Millis processes) {
  constexpr Millis kLongestForProcesses{2'000};
  return 9 * folder + std::min(9 * processes, kLongestForProcesses);
}

}  // namespace paddock::sandbox
