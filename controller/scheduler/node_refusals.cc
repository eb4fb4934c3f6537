#include "controller/scheduler/node_refusals.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/nodes_fit.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

std::optional<size_t> refused_by(const Demand& demand, const NodeState& node) {
  const auto all = filters();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].admits(demand, node)) return i;
  }
  return std::nullopt;
}

bool could_take(const Demand& demand, const contracts::Node& node, WallTime now) {
  NodeState state = state_of(node);
  state.ms_left = ms_left(state, now);
  return could_take(demand, state);
}

bool could_take(const Demand& demand, const NodeState& node) {
  const auto refused = refused_by(demand, node);
  if (!refused || filters()[*refused].depends_on != DependsOn::kAmounts) return !refused;
  NodeState alone = node;
  empty(alone);
  return !refused_by(demand, alone);
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

// Nodes that a gang would need beside those that are there and large enough.
void add_missing(const Demand& demand, size_t nodes, std::vector<NodeGroup>& groups) {
  int64_t missing = demand.nodes - static_cast<int64_t>(nodes);
  for (const NodeGroup& group : groups) missing += group.too_small ? group.nodes : 0;
  if (demand.nodes == 1 || nodes == 0 || missing <= 0) return;
  groups.push_back({missing, missing == 1 ? "is missing" : "are missing",
                    missing == 1 ? "add a node" : cat("add ", missing, " nodes"), true});
}

std::string fit_text(const Demand& demand, size_t nodes, const Refusals& refusals) {
  std::string text = contracts::nodes_fit(static_cast<size_t>(refusals.fit), nodes);
  if (demand.nodes > 1) text += cat(", and its ", demand.nodes, " members need one each");
  return text;
}

}  // namespace

Refusals find_refusals(const Demand& demand, const NodeIndex& nodes) {
  Refusals out;
  std::vector<Refused> refused(filters().size());
  for (const auto& [name, id] : nodes.by_name()) {
    const NodeState& node = nodes.at(id);
    const auto filter = refused_by(demand, node);
    if (!filter) {
      if (++out.fit == demand.nodes) return out;
      continue;
    }
    Refused& mine = refused[*filter];
    ++mine.nodes;
    if (const Offer* offer = filters()[*filter].offer)
      mine.most_offered = std::max(mine.most_offered, offer->of(node));
  }
  for (size_t i = 0; i < refused.size(); ++i) {
    const int64_t count = refused[i].nodes;
    if (count == 0) continue;
    Misfit reason = filters()[i].explain(demand);
    out.groups.push_back(
        {count, cat(count == 1 ? reason.one : reason.many, offered_text(filters()[i], refused[i])),
         std::move(reason.remedy), filters()[i].lack == Lack::kForGood});
  }
  add_missing(demand, nodes.size(), out.groups);
  return out;
}

std::string refusal_text(const Demand& demand, size_t nodes, const Refusals& refusals) {
  const std::string fit = fit_text(demand, nodes, refusals);
  if (nodes == 0) return cat(fit, ": no node is enrolled; would help: start a node agent");
  std::vector<std::string> reasons;
  std::vector<std::string> remedies;
  for (const NodeGroup& group : refusals.groups) {
    reasons.push_back(cat(group.nodes, " ", group.reason));
    remedies.push_back(group.remedy);
  }
  return cat(fit, ": ", join(reasons, ", "), "; would help: ", join(remedies, ", or "));
}

}  // namespace paddock::scheduler
