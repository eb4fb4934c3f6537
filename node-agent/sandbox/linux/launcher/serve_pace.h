// Decides when a serving launcher makes its next ready process, and when it is no longer needed.
// Pure: times in, decisions out. A server without requests sleeps, and one whose processes fail
// does not try again at once.
#pragma once

#include "common/base/time.h"

namespace paddock::sandbox {

class ServePace {
 public:
  ServePace(int wanted, MonoTime now)
      : wanted_(wanted), quiet_at_(now), rest_until_(now), last_use_(now) {}

  // True at once if no process is ready. Else only in a quiet moment, since making one takes
  // processor time away from runs.
  bool wants_one(MonoTime now) const;
  // When wants_one() turns true, or `otherwise` if that comes first or nothing is wanted.
  MonoTime next(MonoTime otherwise) const;
  bool unused_for_long(MonoTime now) const;

  void made() { ++ready_; }
  void taken(MonoTime now);
  // No process could be made; or one ended before it was given an order.
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
