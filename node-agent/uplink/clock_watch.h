// Tells of a host whose clock is not the controller's: once when it begins, once when it is over.
#pragma once

#include "common/base/guarded.h"
#include "common/base/time.h"

namespace paddock::agent {

enum class ClockNews { kNone, kApart, kTogether };
// Whether a gap between the clocks begins or ends. `apart` is what was reported last. A gap ends
// only at half the size at which one begins, so that a clock near the limit is not reported again
// and again. Pure.
ClockNews clock_news(bool apart, Millis gap);

class ClockWatch {
 public:
  // Called for each answer, by any thread.
  void look(Millis gap);

 private:
  Guarded<bool> apart_{false};
};

}  // namespace paddock::agent
