// Notices that this process did not run for a while: it was stopped, frozen or suspended together
// with its host, or a disk held it up. Code that measures how long others were silent must not
// count that time: they may have called meanwhile, or may have stood still as well. Pure; not
// thread-safe.
#pragma once

#include <algorithm>

#include "common/base/time.h"

namespace paddock {

class SuspensionDetector {
 public:
  // Only a pause longer than `least` is noticed. Call look() at least twice in that time.
  SuspensionDetector(Millis least, WallTime wall, MonoTime mono)
      : least_(least), wall_(wall), mono_(mono) {}

  // How long this process stood still since the last look; 0 if it did not. Both clocks are
  // compared, because the steady clock stops while a host sleeps. So a calendar that was set
  // forward looks like sleep.
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

// How long a wait has lasted, without the time in which this process stood still: between two looks
// at most `most` is counted. Pure; not thread-safe.
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

// A deadline for a wait that is checked again and again, `look_every` so often at least. It comes
// later by the time in which this process stood still.
class LivedDeadline {
 public:
  LivedDeadline(Millis in, MonoTime now, Millis look_every = Millis(5'000))
      : in_(in), look_every_(look_every), lived_(look_every * 2, now) {}

  // The time that is left; the deadline has passed if it is 0 or less.
  Millis left(MonoTime now) { return in_ - lived_.look(now); }
  // How long may be waited until the next look.
  int poll_ms(MonoTime now) {
    return static_cast<int>(std::clamp(left(now), Millis(0), look_every_).count());
  }

 private:
  Millis in_;
  Millis look_every_;
  LivedTime lived_;
};

}  // namespace paddock
