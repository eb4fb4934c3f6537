// A node's operator may allow less than the controller's.
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

const Filter kCeilingFilter = {
    DependsOn::kKindOfNode,
    [](const Demand& demand, const NodeState& node) {
      return contracts::check_node_ceilings(demand.policy, node.ceilings).ok() &&
             (!node.ceilings ||
              contracts::check_grace(demand.termination_grace, *node.ceilings).ok());
    },
    [](const Demand&) {
      return Reason{"has lower ceilings than the run asks for",
                    "have lower ceilings than the run asks for",
                    "ask for no more than a node's status.ceilings"};
    },
};

}  // namespace paddock::scheduler
