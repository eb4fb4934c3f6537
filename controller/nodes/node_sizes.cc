#include "controller/nodes/node_sizes.h"

namespace paddock::nodes {
namespace {

// An agent of an earlier release says its size alone.
contracts::SandboxLimits limits_of(const contracts::NodeStatus& status,
                                   const contracts::Profiles& profiles) {
  if (status.largest_limits.memory) return status.largest_limits;
  const contracts::Capacity& capacity = status.capacity;
  return contracts::limits_of_host({capacity.memory.bytes, 0, capacity.disk.bytes, 0}, profiles);
}

}  // namespace

contracts::SandboxLimits largest_limits(const std::vector<contracts::Node>& nodes,
                                        const contracts::Profiles& profiles) {
  contracts::SandboxLimits largest = contracts::limits_of_host({}, profiles);
  for (const contracts::Node& node : nodes)
    largest = contracts::larger_of(largest, limits_of(node.status, profiles));
  return largest;
}

Result<contracts::SandboxLimits> largest_limits(store::ReadTxn& txn,
                                                const contracts::Profiles& profiles,
                                                const contracts::SandboxLimits& wish) {
  const contracts::SandboxLimits usual = largest_limits({}, profiles);
  contracts::SandboxPolicy asked;
  asked.limits = wish;
  if (contracts::over_largest(asked, usual, {}, "").empty()) return usual;
  ASSIGN_OR_RETURN(const auto nodes, txn.list<contracts::Node>({}));
  return largest_limits(nodes.items, profiles);
}

}  // namespace paddock::nodes
