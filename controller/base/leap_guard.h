// What is forgotten by the calendar (by an age or a date) is gone, so it is not forgotten by a
// calendar that leapt ahead a moment ago: for an hour of the steady clock somebody can set it
// right. One that stays there is believed then. Pure; not thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "common/base/time.h"

namespace paddock {

class LeapGuard {
 public:
  static constexpr Millis kLeap = std::chrono::minutes(10);  // less is no leap
  static constexpr Millis kHold = std::chrono::hours(1);

  // The calendar is ahead of what was known by so much.
  void note(Millis ahead, MonoTime now) {
    if (ahead > kLeap) until_ = std::max(until_, now + kHold);
  }
  // Finds it out by both clocks: for those that look now and then. A host's sleep looks like it.
  void look(WallTime wall, MonoTime mono) {
    if (seen_) note((wall - seen_->wall) - (mono - seen_->mono), mono);
    seen_ = {wall, mono};
  }
  bool holds(MonoTime now) const { return now < until_; }

 private:
  struct Seen {
    WallTime wall;
    MonoTime mono;
  };
  std::optional<Seen> seen_;
  MonoTime until_;
};

}  // namespace paddock
