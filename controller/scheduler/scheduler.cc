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

bool namespace_is_full(const Snapshot& snapshot, const std::map<std::string, int64_t>& placed,
                       const std::string& name_space) {
  const auto found = placed.find(name_space);
  return snapshot.quotas.runs_per_namespace > 0 && found != placed.end() &&
         found->second >= snapshot.quotas.runs_per_namespace;
}

std::string why_namespace(const Quotas& quotas, const std::string& name_space) {
  return cat("namespace ", name_space, " has its ", quotas.runs_per_namespace,
             quotas.runs_per_namespace == 1 ? " run" : " runs",
             " at once; would help: wait for one of them to end, or the operator raises "
             "maxRunsPerNamespace");
}

}  // namespace

Plan schedule(const Snapshot& snapshot) {
  Plan plan;
  std::vector<NodeState> nodes = snapshot.nodes;
  std::map<std::string, int64_t> placed = snapshot.placed;
  const auto wait = [&](const PendingRun& run, std::string message) {
    const auto position = static_cast<int64_t>(plan.unplaced.size()) + 1;
    plan.unplaced.push_back({run.name_space, run.name, run.uid, std::move(message), position});
  };
  for (const PendingRun* run : in_order(snapshot.pending)) {
    if (namespace_is_full(snapshot, placed, run->name_space)) {
      wait(*run, why_namespace(snapshot.quotas, run->name_space));
      continue;
    }
    Refusals refusals(filters().size());
    NodeState* node = choose(run->demand, nodes, refusals);
    if (node == nullptr) {
      wait(*run, why(run->demand, nodes.size(), refusals));
    } else {
      occupy(*node, run->demand);
      ++placed[run->name_space];
      plan.bindings.push_back({run->name_space, run->name, run->uid, node->name});
    }
  }
  return plan;
}

}  // namespace paddock::scheduler
