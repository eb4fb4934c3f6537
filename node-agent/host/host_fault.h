// Whether this host could begin any run at all: whether its data folder can be written and its
// launcher is there. A full disk is reported by disk_room.h.
#pragma once

#include <optional>
#include <string>

#include "common/base/time.h"
#include "common/contracts/node.h"

namespace paddock::agent {

// Writes some bytes into the data folder, waits until the disk has them, reads them back, and looks
// for the launcher: that takes as long as the disk takes. The fault's reason and message; nothing:
// all is well.
std::optional<Error> look_for_fault(const std::string& data_dir, const std::string& launcher);

// What the status says of it from now on; it keeps since when, as long as the reason stays. Pure.
void tell_fault(contracts::NodeStatus& status, const std::optional<Error>& fault, WallTime now);

}  // namespace paddock::agent
