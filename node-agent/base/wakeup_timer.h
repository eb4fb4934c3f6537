// Wakes one waiting thread, at once or a little later. schedule() only sets a timer and wakes no
// thread itself. That saves the caller, for whose answer somebody waits, the time that waking
// another thread takes.
#pragma once

#include <chrono>

#include "common/base/guarded.h"
#include "common/base/time.h"
#include "common/os/timer.h"

namespace paddock::agent {

class WakeupTimer {
 public:
  WakeupTimer();
  // Any thread. If several times are scheduled, the earliest counts.
  void schedule(std::chrono::microseconds time);
  // Waits until the scheduled time, at most `limit`. Only one waiting thread is woken.
  void wait(Millis limit);

 private:
  using Time = std::chrono::steady_clock::time_point;
  os::Timer timer_;
  Guarded<Time> due_;
};

}  // namespace paddock::agent
