// For how long a run may keep what its disk's watch cannot count, such as files on their way
// through a socket. Honest programs hand over descriptors all the time, but each is on its way for
// a moment. Pure.
#pragma once

#include "common/base/time.h"

namespace paddock::sandbox {

class DiskDoubt {
 public:
  static constexpr Millis kMostTime{2'000};
  static constexpr int kLeastCounts = 3;

  // Of each count: whether it may have missed more than the run may have. Returns whether that was
  // so in all of the last ones, for too long.
  bool note(bool may_miss, MonoTime now) {
    if (!may_miss) counts_ = 0;
    if (may_miss && counts_++ == 0) since_ = now;
    return counts_ >= kLeastCounts && now - since_ >= kMostTime;
  }
  bool any() const { return counts_ > 0; }

 private:
  int counts_ = 0;  // in a row
  MonoTime since_;
};

}  // namespace paddock::sandbox
