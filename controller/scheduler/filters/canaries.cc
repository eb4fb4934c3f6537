// Reads the results of a node's canaries: a run is not placed where something that it needs has
// failed.
#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/contracts/canary.h"
#include "controller/scheduler/filters/filter.h"
#include "controller/scheduler/filters/limits.h"

namespace paddock::scheduler {

namespace {

constexpr const char* kRemedy = "run `paddock doctor` on a node that failed: it prints the fix";

bool failed(const NodeState& node, std::string_view capability) {
  return std::ranges::find(node.unproven, capability) != node.unproven.end();
}

// Something beyond limits that a policy can ask for. allowPartial never covers what would widen a
// sandbox.
struct Grant {
  std::string_view capability;
  bool (*asked)(const Demand& demand);
};

constexpr std::array kGrants = {
    Grant{"tools", [](const Demand& d) { return !d.policy.tools.empty(); }},
    Grant{"devices", [](const Demand& d) { return d.accelerators || !d.policy.devices.empty(); }},
    Grant{"allowDomains",
          [](const Demand& d) { return d.policy.network && d.policy.network->enabled; }},
    Grant{"loopback",
          [](const Demand& d) {
            return d.policy.network && d.policy.network->loopback.value_or(false) &&
                   !d.policy.allow_partial;
          }},
};

template <size_t kIndex>
constexpr Filter grant_filter() {
  return {
      DependsOn::kKindOfNode,
      [](const Demand& demand, const NodeState& node) {
        return node.unproven.empty() || !kGrants[kIndex].asked(demand) ||
               !failed(node, kGrants[kIndex].capability);
      },
      [](const Demand&) {
        const std::string what = cat("the canary of ", kGrants[kIndex].capability);
        return Misfit{cat("failed ", what), cat("failed ", what), kRemedy};
      },
  };
}

template <size_t kIndex>
constexpr Filter limit_filter() {
  return {
      DependsOn::kKindOfNode,
      [](const Demand& demand, const NodeState& node) {
        return node.unproven.empty() || demand.policy.allow_partial ||
               !kLimits[kIndex].asked(demand.policy.limits) ||
               !failed(node, kLimits[kIndex].capability);
      },
      [](const Demand&) {
        const std::string what = cat("the canary of the limit ", kLimits[kIndex].capability);
        return Misfit{cat("failed ", what), cat("failed ", what),
                      cat(kRemedy, ", or set allowPartial")};
      },
  };
}

template <size_t... kLimit, size_t... kGrant>
std::array<Filter, sizeof...(kLimit) + sizeof...(kGrant)> filters_for(
    std::index_sequence<kLimit...>, std::index_sequence<kGrant...>) {
  return {limit_filter<kLimit>()..., grant_filter<kGrant>()...};
}

}  // namespace

const Filter kIsolationFilter = {
    DependsOn::kKindOfNode,
    [](const Demand&, const NodeState& node) {
      return std::ranges::none_of(node.unproven, contracts::is_isolation);
    },
    [](const Demand&) {
      return Misfit{"failed the canaries of its isolation",
                    "failed the canaries of their isolation", kRemedy};
    },
};

std::span<const Filter> canary_filters() {
  static const auto all = filters_for(std::make_index_sequence<kLimits.size()>(),
                                      std::make_index_sequence<kGrants.size()>());
  return all;
}

}  // namespace paddock::scheduler
