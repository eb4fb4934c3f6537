// Whether the disk of the agent's data folder has room for runs, and how its node says that it has
// not. Pure.
#pragma once

#include <optional>

#include "common/base/time.h"
#include "common/contracts/node.h"
#include "node-agent/devices/probe.h"

namespace paddock::agent {

// `min_free` in bytes, 0: never too full. One that was too full has room again only a quarter above
// that, so that a node at the line does not come and go. Files count too: a disk of many small ones
// can be out of them.
bool is_disk_full(const devices::DiskRoom& room, int64_t min_free, bool was_full);

// The least number of files that must be free on the disk.
int64_t least_files(const devices::DiskRoom& room);

// The known use of the disk, beside the free room.
struct DiskUse {
  int64_t held = 0;     // for files of runs that are on their way
  int64_t written = 0;  // by runs that asked for disk, of what they asked for
};

// Puts the state of the disk into the node's status, which keeps the time since when that holds.
// Nothing changes while `room` is absent, since then nobody knows.
void tell_disk(contracts::NodeStatus& status, const std::optional<devices::DiskRoom>& room,
               const DiskUse& use, int64_t min_free, WallTime now);

}  // namespace paddock::agent
