// For how long a run may keep what its disk's watch cannot count, such as files on their way
// through a socket, and how much of it. Honest programs hand over descriptors all the time, but
// each is on its way for a moment. Pure.
#pragma once

#include <cstdint>

#include "common/base/time.h"

namespace paddock::sandbox {

class DiskDoubt {
 public:
  static constexpr Millis kMostTime{2'000};
  // More is not let through for any time. See docs/security.md before you change it.
  static constexpr int64_t kMostBytes = int64_t{32} << 20;
  static constexpr int kLeastCounts = 3;

  // Takes in one count: whether it may have missed more than the run may have, and how many bytes it
  // found beyond that. Returns whether the former was so in all counts of the last while, for too
  // long, or with too much in each.
  bool note(bool may_miss, int64_t bytes_over, MonoTime now) {
    if (!may_miss) counts_ = 0;
    if (may_miss && counts_++ == 0) since_ = now;
    large_counts_ = may_miss && bytes_over > kMostBytes ? large_counts_ + 1 : 0;
    return large_counts_ >= kLeastCounts || (counts_ >= kLeastCounts && now - since_ >= kMostTime);
  }
  bool any() const { return counts_ > 0; }

 private:
  int counts_ = 0;        // in a row
  int large_counts_ = 0;  // the last of these
  MonoTime since_;
};

}  // namespace paddock::sandbox
