#include "controller/scheduler/scheduler.h"

#include <algorithm>
#include <tuple>

#include "common/base/text.h"
#include "controller/scheduler/filters/filter.h"
#include "controller/scheduler/ledger.h"
#include "controller/scheduler/score.h"

namespace paddock::scheduler {

namespace {

// How many nodes each filter refused, in the order of filters().
using Refusals = std::vector<size_t>;

std::vector<const PendingRun*> in_order(const std::vector<PendingRun>& pending) {
  std::vector<const PendingRun*> order;
  for (const PendingRun& run : pending) order.push_back(&run);
  std::sort(order.begin(), order.end(), [](const PendingRun* a, const PendingRun* b) {
    return std::tuple(-a->priority, a->created_ms, std::string_view(a->uid)) <
           std::tuple(-b->priority, b->created_ms, std::string_view(b->uid));
  });
  return order;
}

// The index of the filter that refuses, or none.
std::optional<size_t> refused_by(const Demand& demand, const NodeState& node) {
  const auto all = filters();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].admits(demand, node)) return i;
  }
  return std::nullopt;
}

bool better(const Score& score, const NodeState& node, const Score& best, const NodeState* than) {
  if (than == nullptr || score > best) return true;
  return score == best && node.name < than->name;
}

NodeState* choose(const Demand& demand, std::vector<NodeState>& nodes, Refusals& refusals) {
  NodeState* best = nullptr;
  Score best_score;
  for (NodeState& node : nodes) {
    if (const std::optional<size_t> filter = refused_by(demand, node)) {
      ++refusals[*filter];
      continue;
    }
    const Score mine = score(demand, node);
    if (!better(mine, node, best_score, best)) continue;
    best = &node;
    best_score = mine;
  }
  return best;
}

std::string why(const Demand& demand, size_t nodes, const Refusals& refusals) {
  if (nodes == 0) return "0/0 nodes fit: no node is enrolled; would help: start a node agent";
  std::vector<std::string> groups;
  std::vector<std::string> remedies;
  for (size_t i = 0; i < refusals.size(); ++i) {
    if (refusals[i] == 0) continue;
    Reason reason = filters()[i].explain(demand);
    groups.push_back(cat(refusals[i], " ", refusals[i] == 1 ? reason.one : reason.many));
    remedies.push_back(std::move(reason.remedy));
  }
  return cat("0/", nodes, " nodes fit: ", join(groups, ", "),
             "; would help: ", join(remedies, ", or "));
}

}  // namespace

Plan schedule(const Snapshot& snapshot) {
  Plan plan;
  std::vector<NodeState> nodes = snapshot.nodes;
  for (const PendingRun* run : in_order(snapshot.pending)) {
    Refusals refusals(filters().size());
    NodeState* node = choose(run->demand, nodes, refusals);
    if (node == nullptr) {
      plan.unplaced.push_back(
          {run->name_space, run->name, run->uid, why(run->demand, nodes.size(), refusals)});
    } else {
      occupy(*node, run->demand);
      plan.bindings.push_back({run->name_space, run->name, run->uid, node->name});
    }
  }
  return plan;
}

}  // namespace paddock::scheduler
