// What a run takes from a node.
#pragma once

#include "controller/scheduler/scheduler.h"

namespace paddock::scheduler {

// Counts under its own kind and under "any".
inline void count_device(DeviceCount& devices, contracts::AcceleratorKind kind, int64_t count) {
  devices[static_cast<size_t>(kind)] += count;
  if (kind != contracts::AcceleratorKind::kAny) {
    devices[static_cast<size_t>(contracts::AcceleratorKind::kAny)] += count;
  }
}

void occupy(NodeState& node, const Demand& demand);

}  // namespace paddock::scheduler
