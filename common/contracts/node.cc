#include "common/contracts/node.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace paddock::contracts {

NodeBounds bounds_of(const NodeStatus& status) { return {status.ceilings, status.largest_limits}; }

int64_t well_devices(const NodeStatus& status) {
  return std::ranges::count_if(status.devices, &std::string::empty, &Device::fault);
}

const Condition* disk_pressure(const NodeStatus& status) {
  const auto found = std::ranges::find_if(status.conditions, [](const Condition& each) {
    return each.type == kDiskPressure && each.status == "True";
  });
  return found == status.conditions.end() ? nullptr : &*found;
}

const Condition* unfit(const NodeStatus& status) {
  if (const Condition* full = disk_pressure(status)) return full;
  const auto found = std::ranges::find_if(status.conditions, [](const Condition& each) {
    return each.type == kHostFault && each.status == "True";
  });
  return found == status.conditions.end() ? nullptr : &*found;
}

Error name_full_disk(Error error) {
  if (error.reason == kDiskReadOnlyReason || error.reason == kDiskFailsReason) {
    const bool read_only = error.reason == kDiskReadOnlyReason;
    error.reason = read_only ? kDiskReadOnly : kDiskFails;
    error.message +=
        cat(": the disk of the node's data folder ", read_only ? "is read-only" : "fails",
            "; look into the host's kernel log, mend it and mount it anew");
    return error;
  }
  if (error.code != Code::kResourceExhausted || error.reason != "SYSTEM_ERROR") return error;
  error.reason = kNodeDiskFull;
  error.message +=
      ": the disk of the node's data folder is full; free space on it, lower the agent's "
      "cacheQuota, or give it a dataDir on a larger disk";
  return error;
}

bool is_host_fault(const Error& named) {
  return is_one_of(named.reason, {kNodeDiskFull, kDiskReadOnly, kDiskFails, "LAUNCHES_UNWRITABLE",
                                  "SANDBOX_UNAVAILABLE", "SANDBOX_SETUP_FAILED"});
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Node);
