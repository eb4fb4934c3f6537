// The labels that the run asks for.
#include "common/base/text.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

namespace {
std::string wanted_labels(const Demand& demand) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : demand.node_selector) pairs.push_back(cat(key, "=", value));
  return join(pairs, ",");
}
}  // namespace

const Filter kSelectorFilter = {
    DependsOn::kKindOfNode,
    [](const Demand& demand, const NodeState& node) {
      for (const auto& [key, value] : demand.node_selector) {
        const auto label = node.labels.find(key);
        if (label == node.labels.end() || label->second != value) return false;
      }
      return true;
    },
    [](const Demand& demand) {
      const std::string labels = wanted_labels(demand);
      return Misfit{cat("lacks the label ", labels), cat("lack the label ", labels),
                    cat("label a node ", labels)};
    },
};

}  // namespace paddock::scheduler
