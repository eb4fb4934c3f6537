// How often the agent looks at its host's devices. Pure.
#pragma once

#include "common/base/time.h"

namespace paddock::agent {

// Looks seldom while no run has a device, because asking a driver may wake the device. Looks each
// time while a run has one, and once after that run.
class LookPace {
 public:
  LookPace(Millis seldom, MonoTime looked) : seldom_(seldom), looked_(looked) {}

  bool due(MonoTime now, bool in_use) {
    const bool due = in_use || was_in_use_ || now - looked_ >= seldom_;
    was_in_use_ = in_use;
    if (due) looked_ = now;
    return due;
  }

 private:
  const Millis seldom_;
  MonoTime looked_;
  bool was_in_use_ = false;
};

}  // namespace paddock::agent
