// Which run is ended when the disk of the agent's data folder comes to its end all the same: so
// that what others asked for, what they print and how they end still finds room. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "node-agent/devices/probe.h"

namespace paddock::agent {

// Under so much of `min_free` a run is ended; above it, and under min_free, none comes.
constexpr int64_t end_line(int64_t min_free) { return min_free / 4; }

struct DiskUser {
  int64_t written = 0;
  int64_t asked = 0;
  bool ending = false;  // told to already: what it has written comes back by itself
  int64_t beyond() const { return written - asked; }
};

// The one that wrote most beyond what it asked for. Nobody while there is room, where `min_free` is
// 0, while what ends already gives enough back, or if all keep to what they asked for: then others
// fill the disk.
std::optional<size_t> whom_to_end(const devices::DiskRoom& room, int64_t min_free,
                                  const std::vector<DiskUser>& runs);

// What it is told.
std::string beyond_request_text(const DiskUser& run, int64_t free, int64_t min_free);

}  // namespace paddock::agent
