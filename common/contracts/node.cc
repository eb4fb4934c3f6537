#include "common/contracts/node.h"

#include <algorithm>

namespace paddock::contracts {

int64_t well_devices(const NodeStatus& status) {
  return std::ranges::count_if(status.devices, &std::string::empty, &Device::fault);
}

const Condition* disk_pressure(const NodeStatus& status) {
  const auto found = std::ranges::find_if(status.conditions, [](const Condition& each) {
    return each.type == kDiskPressure && each.status == "True";
  });
  return found == status.conditions.end() ? nullptr : &*found;
}

Error name_full_disk(Error error) {
  if (error.code != Code::kResourceExhausted || error.reason != "SYSTEM_ERROR") return error;
  error.reason = kNodeDiskFull;
  error.message +=
      ": the disk of the node's data folder is full; free space on it, lower the agent's "
      "cacheQuota, or give it a dataDir on a larger disk";
  return error;
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Node);
