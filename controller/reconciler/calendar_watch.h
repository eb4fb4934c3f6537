// Notices that somebody has set the calendar back, by the steady clock beside it. Pure; not
// thread-safe. One that was set forward looks like sleep: suspension.h.
#pragma once

#include "common/base/time.h"

namespace paddock::reconciler {

class CalendarWatch {
 public:
  // Less than `least` is no more than a time server's small steps.
  CalendarWatch(Millis least, WallTime wall, MonoTime mono)
      : least_(least), wall_(wall), mono_(mono) {}

  // By how much it was set back since the last look; 0 if it was not.
  Millis look(WallTime wall, MonoTime mono) {
    const Millis back = (mono - mono_) - (wall - wall_);
    wall_ = wall;
    mono_ = mono;
    return back > least_ ? back : Millis(0);
  }

 private:
  Millis least_;
  WallTime wall_;
  MonoTime mono_;
};

}  // namespace paddock::reconciler
