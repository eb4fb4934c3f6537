#include "controller/scheduler/score.h"

#include <algorithm>

namespace paddock::scheduler {

namespace {
int64_t free_permille(int64_t used, int64_t total) {
  if (total <= 0) return 0;
  const double share = static_cast<double>(total - used) / static_cast<double>(total);
  return static_cast<int64_t>(std::clamp(share, 0.0, 1.0) * 1000.0);
}
}  // namespace

Score score(const Demand& demand, const NodeState& node) {
  const int64_t any = node.devices[static_cast<size_t>(contracts::AcceleratorKind::kAny)];
  const int64_t free_share =
      free_permille(node.used_cpu + demand.cpu, node.capacity.cpu) +
      free_permille(node.used_memory + demand.memory, node.capacity.memory.bytes) +
      free_permille(node.used_runs + 1, node.capacity.max_runs);
  return {demand.accelerators || any == 0, free_share};
}

}  // namespace paddock::scheduler
