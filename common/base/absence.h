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

// How long somebody has waited, as far as he lived. Between two looks at most `most` counts: what
// is beyond was no waiting. Pure; not thread-safe.
class LivedTime {
 public:
  LivedTime(Millis most, MonoTime now) : most_(most), last_(now) {}

  Millis look(MonoTime now) {
    total_ += std::min(now - last_, most_);
    last_ = now;
    return total_;
  }

 private:
  Millis most_;
  MonoTime last_;
  Millis total_{0};
};

// A limit to waiting that is looked at again and again, and moves by the time that nobody lived.
class LivedDeadline {
 public:
  LivedDeadline(Millis in, MonoTime now) : in_(in), lived_(kLookEvery * 2, now) {}

  // What is left; nothing or less: it is over.
  Millis left(MonoTime now) { return in_ - lived_.look(now); }
  // How long may be waited until the next look.
  int poll_ms(MonoTime now) {
    return static_cast<int>(std::clamp(left(now), Millis(0), kLookEvery).count());
  }

 private:
  static constexpr Millis kLookEvery{5'000};
  Millis in_;
  LivedTime lived_;
};

}  // namespace paddock
