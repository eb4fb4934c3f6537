// Tells of a host whose clock is not the controller's: once when it begins, once when it is over.
#pragma once

#include "common/base/guarded.h"
#include "common/base/time.h"

namespace paddock::agent {

enum class ClockNews { kNone, kApart, kTogether };
// What is new of a gap. `apart` is what was told last; it is over at half of what begins it, so
// that a clock at the edge is not told of again and again. Pure.
ClockNews clock_news(bool apart, Millis gap);

class ClockWatch {
 public:
  // Of each answer; any thread.
  void look(Millis gap);

 private:
  Guarded<bool> apart_{false};
};

}  // namespace paddock::agent
