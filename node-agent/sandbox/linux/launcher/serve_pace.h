// When a server makes its next ready process, and when it has no more reason to be. Pure: times in,
// decisions out. A server that nobody asks sleeps; one whose processes fail does not spin.
#pragma once

#include "common/base/time.h"

namespace paddock::sandbox {

class ServePace {
 public:
  ServePace(int wanted, MonoTime now)
      : wanted_(wanted), quiet_at_(now), rest_until_(now), last_use_(now) {}

  // At once if nobody waits, else in a quiet moment: making one costs the runs processor time.
  bool wants_one(MonoTime now) const;
  // When wants_one() turns true, or `otherwise` if that comes first or nothing is wanted.
  MonoTime next(MonoTime otherwise) const;
  bool unused_for_long(MonoTime now) const;

  void made() { ++ready_; }
  void taken(MonoTime now);
  // None could be made, or one ended before it was taken.
  void failed_to_make(MonoTime now);
  void ended_unused(MonoTime now);
  int ready() const { return ready_; }

 private:
  int wanted_;
  int ready_ = 0;
  MonoTime quiet_at_;
  MonoTime rest_until_;
  MonoTime last_use_;
};

}  // namespace paddock::sandbox
