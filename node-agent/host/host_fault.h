// Whether this host could begin any run at all: whether its data folder can be written and its
// launcher is there. A full disk is reported by disk_room.h.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/base/guarded.h"
#include "common/base/time.h"
#include "common/contracts/node.h"

namespace paddock::agent {

// Writes some bytes into the data folder, waits until the disk has them, reads them back, and looks
// for the launcher: that takes as long as the disk takes. The fault's reason and message; nothing:
// all is well.
std::optional<Error> look_for_fault(const std::string& data_dir, const std::string& launcher);

// Looks, and knows from other threads how long the disk has kept a look waiting.
class HostTrial {
 public:
  using Look = std::function<std::optional<Error>()>;  // look_for_fault(), with its folder
  HostTrial(Look look, const Clock& clock) : look_(std::move(look)), clock_(clock) {}
  // As look_for_fault(); NODE_DISK_STALLED too where all is well but took that long, so that a disk
  // that is merely slow gets no runs between two looks. From one thread.
  std::optional<Error> look();
  // NODE_DISK_STALLED once the look that is under way has taken longer than work should be kept
  // waiting, until that look has ended. Any thread; waits for nothing.
  std::optional<Error> stall() const;

 private:
  const Look look_;
  const Clock& clock_;
  Guarded<std::optional<MonoTime>> since_;  // of the look that is under way
};

// Puts the fault into the node's status, which keeps the time since when, as long as the reason
// stays. Pure.
void tell_fault(contracts::NodeStatus& status, const std::optional<Error>& fault, WallTime now);

}  // namespace paddock::agent
