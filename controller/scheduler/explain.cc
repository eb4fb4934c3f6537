#include "controller/scheduler/explain.h"

#include <unordered_map>

#include "common/base/text.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

std::optional<size_t> refused_by(const Demand& demand, const NodeState& node) {
  const auto all = filters();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].admits(demand, node)) return i;
  }
  return std::nullopt;
}

std::vector<NodeGroup> group_refusals(const Demand& demand, const NodeIndex& nodes) {
  std::vector<int64_t> refused(filters().size());
  for (const auto& [name, id] : nodes.by_name()) {
    const auto filter = refused_by(demand, nodes.at(id));
    if (!filter) return {};
    ++refused[*filter];
  }
  std::vector<NodeGroup> groups;
  for (size_t i = 0; i < refused.size(); ++i) {
    if (refused[i] == 0) continue;
    Reason reason = filters()[i].explain(demand);
    groups.push_back({refused[i], refused[i] == 1 ? std::move(reason.one) : std::move(reason.many),
                      std::move(reason.remedy)});
  }
  return groups;
}

std::string refusal_text(size_t nodes, const std::vector<NodeGroup>& groups) {
  if (nodes == 0) return "0/0 nodes fit: no node is enrolled; would help: start a node agent";
  std::vector<std::string> reasons;
  std::vector<std::string> remedies;
  for (const NodeGroup& group : groups) {
    reasons.push_back(cat(group.nodes, " ", group.reason));
    remedies.push_back(group.remedy);
  }
  return cat("0/", nodes, " nodes fit: ", join(reasons, ", "),
             "; would help: ", join(remedies, ", or "));
}

}  // namespace paddock::scheduler
