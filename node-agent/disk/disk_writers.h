// The runs and sessions that write to the disk of the agent's data folder. When that disk is full,
// one of them is ended; disk_relief.h decides which.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "node-agent/disk/disk_relief.h"

namespace paddock::agent {

struct DiskWriter {
  std::string_view what;  // run or session
  std::string uid;
  DiskUser use;
  std::function<void(const std::string& why)> end;
};

// `writers` are asked for only where the disk has come to its end: counting takes its time.
void relieve_disk(const devices::DiskRoom& room, int64_t min_free,
                  const std::function<std::vector<DiskWriter>()>& writers);

}  // namespace paddock::agent
