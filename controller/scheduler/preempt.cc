// Making room for a run of higher priority: only among runs that may be tried again, and only where
// the operator allows it.
#include <algorithm>
#include <tuple>

#include "common/base/text.h"
#include "controller/scheduler/cluster.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::scheduler {

namespace {

bool kind_admits(const Demand& demand, const NodeState& node) {
  return std::ranges::all_of(filters(), [&](const Filter& filter) {
    return filter.depends_on != DependsOn::kKindOfNode || filter.admits(demand, node);
  });
}

bool would_fit(const Demand& demand, const NodeState& node) { return !refused_by(demand, node); }

}  // namespace

// The runs that would have to go, those of least priority first and of these the youngest; empty if
// enough of them are going already; nothing if not even all of them would do.
std::optional<std::vector<std::string>> Cluster::victims_on(NodeIndex::Id id, const Entry& entry) {
  NodeState node = nodes_.at(id);
  const Demand& demand = classes_.at(entry.demand).demand;
  if (!kind_admits(demand, node)) return std::nullopt;
  using Candidate = std::tuple<int64_t, int64_t, std::string>;
  std::vector<Candidate> candidates;
  std::vector<const Demand*> stay;
  const auto there = on_node_.find(node.name);
  if (there == on_node_.end()) return std::nullopt;
  for (const std::string& uid : there->second) {
    const Entry& run = runs_.at(uid);
    if (run.being_evicted) continue;
    if (run.may_be_evicted && run.priority < entry.priority) {
      candidates.emplace_back(-run.priority, run.created_ms, uid);
    } else {
      stay.push_back(&classes_.at(run.demand).demand);
    }
  }
  std::ranges::sort(candidates);  // the last ones go first
  std::vector<std::string> victims;
  while (true) {
    empty(node);
    for (const Demand* each : stay) occupy(node, *each);
    for (const auto& [priority, created, uid] : candidates)
      occupy(node, classes_.at(runs_.at(uid).demand).demand);
    if (would_fit(demand, node)) return victims;
    if (candidates.empty()) return std::nullopt;
    victims.push_back(std::get<2>(candidates.back()));
    candidates.pop_back();
  }
}

void Cluster::make_room(const std::string& uid, const Entry& entry, Round& round) {
  if (round.preemptions_left == 0) return;
  --round.preemptions_left;
  std::optional<std::vector<std::string>> best;
  for (const auto& [name, id] : nodes_.by_name()) {
    auto victims = victims_on(id, entry);
    if (victims && (!best || victims->size() < best->size())) best = std::move(victims);
    if (best && best->empty()) return;  // room is being made already
  }
  if (!best) return;
  for (const std::string& victim : *best) {
    runs_.at(victim).being_evicted = true;
    round.plan.preemptions.push_back({victim, cat(entry.name_space, "/", runs_.at(uid).name)});
  }
}

}  // namespace paddock::scheduler
