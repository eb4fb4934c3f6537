// The filter on how many runs a node takes at once.
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

const Filter kSlotFilter = {
    DependsOn::kAmounts,
    [](const Demand&, const NodeState& node) { return node.used_runs < node.capacity.max_runs; },
    [](const Demand&) {
      return Misfit{"is full", "are full", "wait for a run to end or raise the node's maxRuns"};
    },
};

}  // namespace paddock::scheduler
