// Wakes one thread that waits, at once or soon. Asking wakes nobody by itself and so does not cost
// who asks, for whom somebody waits, the time that it takes to wake another thread.
#pragma once

#include <chrono>

#include "common/base/guarded.h"
#include "common/base/time.h"
#include "common/os/timer.h"

namespace paddock::agent {

class WakeupTimer {
 public:
  WakeupTimer();
  // Any thread. Earlier ones count.
  void schedule(std::chrono::microseconds time);
  // Until it rings, at most `limit`; it rings for one.
  void wait(Millis limit);

 private:
  using Time = std::chrono::steady_clock::time_point;
  os::Timer timer_;
  Guarded<Time> due_;
};

}  // namespace paddock::agent
