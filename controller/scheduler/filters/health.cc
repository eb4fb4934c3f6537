// A node must be there, and its operator must want it to work.
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

const Filter kReadyFilter = {
    DependsOn::kKindOfNode,
    [](const Demand&, const NodeState& node) { return node.ready; },
    [](const Demand&) {
      return Reason{"is not ready", "are not ready", "start the agent of a node that is not ready"};
    },
};

const Filter kCordonFilter = {
    DependsOn::kKindOfNode,
    [](const Demand&, const NodeState& node) { return !node.unschedulable; },
    [](const Demand&) {
      return Reason{"is cordoned", "are cordoned", "uncordon a node"};
    },
};

}  // namespace paddock::scheduler
