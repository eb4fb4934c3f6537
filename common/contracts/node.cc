#include "common/contracts/node.h"

#include <algorithm>

namespace paddock::contracts {

int64_t well_devices(const NodeStatus& status) {
  return std::ranges::count_if(status.devices, &std::string::empty, &Device::fault);
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Node);
