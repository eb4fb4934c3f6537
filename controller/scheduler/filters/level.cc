// A run may ask how strongly a node must have proven its isolation and the limits of the run.
#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/canary.h"
#include "controller/scheduler/filters/filter.h"
#include "controller/scheduler/filters/limits.h"

namespace paddock::scheduler {

const Filter kLevelFilter = {
    DependsOn::kKindOfNode,
    [](const Demand& demand, const NodeState& node) {
      if (!demand.sandbox_level) return true;
      const bool weak = std::ranges::any_of(node.proven, [&](const auto& proven) {
        const auto& [capability, level] = proven;
        const bool needed =
            contracts::is_isolation(capability) || asks_for(demand.policy.limits, capability);
        return needed && level > *demand.sandbox_level;
      });
      return !weak && !node.proven.empty();
    },
    [](const Demand& demand) {
      const std::string level(wire::enum_name(*demand.sandbox_level));
      return Misfit{cat("has not proven its sandbox at level ", level),
                    cat("have not proven their sandboxes at level ", level),
                    "accept a weaker sandboxLevel, or see `paddock doctor` on a node"};
    },
};

}  // namespace paddock::scheduler
