// A node must be there, its operator must want it to work, and it must have room to.
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

const Filter kReadyFilter = {
    DependsOn::kKindOfNode,
    [](const Demand&, const NodeState& node) { return node.ready; },
    [](const Demand&) {
      return Misfit{"is not ready", "are not ready", "start the agent of a node that is not ready"};
    },
};

const Filter kCordonFilter = {
    DependsOn::kKindOfNode,
    [](const Demand&, const NodeState& node) { return !node.unschedulable; },
    [](const Demand&) {
      return Misfit{"is cordoned", "are cordoned", "uncordon a node"};
    },
};

const Filter kDiskFilter = {
    DependsOn::kKindOfNode,
    [](const Demand&, const NodeState& node) { return !node.disk_full; },
    [](const Demand&) {
      return Misfit{"has a full disk", "have a full disk",
                    "free space on the disk of a node, or lower its cacheQuota "
                    "(`paddock describe node NAME`)"};
    },
};

const Filter kFaultFilter = {
    DependsOn::kKindOfNode,
    [](const Demand&, const NodeState& node) { return !node.faulty; },
    [](const Demand&) {
      return Misfit{"has a faulty host", "have a faulty host",
                    "mend what its condition HostFault names (`paddock describe node NAME`)"};
    },
};

const Filter kRestFilter = {
    DependsOn::kKindOfNode,
    [](const Demand&, const NodeState& node) { return !node.resting; },
    [](const Demand&) {
      return Misfit{
          "could begin no run and rests", "could begin no run and rest",
          "mend what it says (`paddock describe node NAME`); it is tried again by itself"};
    },
};

}  // namespace paddock::scheduler
