// A node's operator may allow less than the controller's, and no node gives more than it has.
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

const Filter kCeilingFilter = {
    DependsOn::kKindOfNode,
    [](const Demand& demand, const NodeState& node) {
      const auto& ceilings = node.bounds.ceilings;
      return contracts::check_node_bounds(demand.policy, node.bounds).ok() &&
             (!ceilings || contracts::check_grace(demand.termination_grace, *ceilings).ok());
    },
    [](const Demand&) {
      return Misfit{"has lower ceilings than the run asks for",
                    "have lower ceilings than the run asks for",
                    "ask for no more than a node's status.ceilings and largestLimits, or have its "
                    "operator raise them: ceilings in the node agent's configuration"};
    },
};

}  // namespace paddock::scheduler
