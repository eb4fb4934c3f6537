// What watches are told by: a standby begins it, and the leader that it becomes goes on with it, so
// that no watch ends there.
#pragma once

#include "controller/events/notifier.h"
#include "controller/events/watch_history.h"

namespace paddock::app {

struct Told {
  events::Notifier notifier;
  events::WatchHistory history;
};

}  // namespace paddock::app
