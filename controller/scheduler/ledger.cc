#include "controller/scheduler/ledger.h"

#include <algorithm>

namespace paddock::scheduler {

namespace {

// "any" is counted against the kind with most devices free, so that no device is promised twice.
contracts::AcceleratorKind kind_taken(const NodeState& node, contracts::AcceleratorKind wanted) {
  using Kind = contracts::AcceleratorKind;
  if (wanted != Kind::kAny) return wanted;
  auto unused = [&node](Kind kind) {
    const auto at = static_cast<size_t>(kind);
    return node.devices[at] - node.used_devices[at];
  };
  return unused(Kind::kApple) > unused(Kind::kNvidia) ? Kind::kApple : Kind::kNvidia;
}

}  // namespace

void occupy(NodeState& node, const Demand& demand) {
  node.used_runs += 1;
  node.used_cpu += demand.cpu;
  node.used_memory += demand.memory;
  if (demand.accelerators) {
    count_device(node.used_devices, kind_taken(node, demand.accelerators->kind),
                 demand.accelerators->count);
  }
}

}  // namespace paddock::scheduler
