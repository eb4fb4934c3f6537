// A controller whose database another one leads: it answers reads and watches (follower.h), says to
// all else that it does not lead, looks at the leader's lease, and opens as the leader once that is
// over. What it listens at, and its watches, go over to the leader that it becomes.
#pragma once

#include <functional>
#include <memory>

#include "common/base/result.h"
#include "controller/app/config.h"
#include "controller/app/controller.h"
#include "controller/store/lead_watch.h"

namespace paddock::app {

// Waits so long; false once this process is to end.
using Rest = std::function<bool(Millis)>;

// The controller, opened and not started: at once where nobody else leads, or the store is a file.
// Null once `rest` says that it is over. STANDBY_FILES_DIFFER; else as Controller::open. `config`
// is given the port that the standby had, where any was good.
Result<std::unique_ptr<Controller>> open_in_turn(Config& config, const Dependencies& dependencies,
                                                 const Rest& rest);

}  // namespace paddock::app
