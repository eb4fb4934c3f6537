// Whether this host and its database agree on the time. Leases are on the database's clock, but a
// leader's own decides about deadlines of runs, the ends of tokens and every time that is shown.
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"

namespace paddock::standby {

// How far the database's clock is ahead of this host's. The database's time was read at some moment
// between `before` and `after`. Nothing if reading took so long that a difference of a minute
// cannot be told.
std::optional<Millis> database_ahead(WallTime database, WallTime before, WallTime after);
// Whether the difference is more than a minute.
bool is_wrong(Millis ahead);
std::string clock_words(Millis ahead);

// Says in the log when they part, and when they agree again. One thread.
class ClockWatch {
 public:
  void look(WallTime database, WallTime before, WallTime after);
  bool wrong() const { return wrong_; }

 private:
  bool wrong_ = false;
};

}  // namespace paddock::standby
