// Taints keep everything away that does not tolerate them.
#include <algorithm>

#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

const Filter kTaintFilter = {
    DependsOn::kKindOfNode,
    [](const Demand& demand, const NodeState& node) {
      return std::ranges::all_of(node.taints, [&](const contracts::Taint& taint) {
        return contracts::tolerates(demand.tolerations, taint);
      });
    },
    [](const Demand&) {
      return Misfit{"has a taint that the run does not tolerate",
                    "have taints that the run does not tolerate",
                    "tolerate a node's spec.taints or remove them"};
    },
};

}  // namespace paddock::scheduler
