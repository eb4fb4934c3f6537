// Notices that nobody lived here for a while: the process was stopped, frozen with its host, asleep
// with it, or held up by a disk. Who counts the silence of others must not count that time: they
// may have spoken, or been away as well. Pure; not thread-safe.
#pragma once

#include <algorithm>

#include "common/base/time.h"

namespace paddock {

class Absence {
 public:
  // Noticed is what was longer than `least`. look() is to be called at least twice in that time.
  Absence(Millis least, WallTime wall, MonoTime mono) : least_(least), wall_(wall), mono_(mono) {}

  // How long nobody was here since the last look; nothing: somebody was. The calendar counts as
  // well, as a host that sleeps stops the other clock; so one that was set forward looks like
  // sleep.
  Millis look(WallTime wall, MonoTime mono) {
    const Millis away = std::max(wall - wall_, mono - mono_);
    wall_ = wall;
    mono_ = mono;
    return away > least_ ? away : Millis(0);
  }

 private:
  Millis least_;
  WallTime wall_;
  MonoTime mono_;
};

}  // namespace paddock
