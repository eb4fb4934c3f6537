#include "controller/scheduler/explain.h"

#include <algorithm>

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

namespace {

// The nodes that a filter refused.
struct Refused {
  int64_t nodes = 0;
  int64_t most_offered = 0;
};

std::string offered_text(const Filter& filter, const Refused& refused) {
  if (filter.offer == nullptr) return "";
  return cat(" (", filter.offer->in_words(refused.most_offered), ")");
}

}  // namespace

std::vector<NodeGroup> group_refusals(const Demand& demand, const NodeIndex& nodes) {
  std::vector<Refused> refused(filters().size());
  for (const auto& [name, id] : nodes.by_name()) {
    const NodeState& node = nodes.at(id);
    const auto filter = refused_by(demand, node);
    if (!filter) return {};
    Refused& mine = refused[*filter];
    ++mine.nodes;
    if (const Offer* offer = filters()[*filter].offer)
      mine.most_offered = std::max(mine.most_offered, offer->of(node));
  }
  std::vector<NodeGroup> groups;
  for (size_t i = 0; i < refused.size(); ++i) {
    const int64_t count = refused[i].nodes;
    if (count == 0) continue;
    Misfit reason = filters()[i].explain(demand);
    groups.push_back(
        {count, cat(count == 1 ? reason.one : reason.many, offered_text(filters()[i], refused[i])),
         std::move(reason.remedy), filters()[i].lack == Lack::kForGood});
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
