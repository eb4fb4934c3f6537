// Making room for a run of higher priority: only among runs that may be tried again, and only where
// the operator allows it.
#include <algorithm>
#include <cstdint>
#include <set>
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

// A copy of the amounts in use on a node, to go back to. They cannot be recomputed by subtraction,
// since what a run takes may depend on the runs placed before it.
struct Use {
  int64_t cpu;
  int64_t memory;
  int64_t disk;
  int64_t runs;
  DeviceCount devices;
};

Use use_of(const NodeState& node) {
  return {node.used_cpu, node.used_memory, node.used_disk, node.used_runs, node.used_devices};
}

void set_use(NodeState& node, const Use& use) {
  node.used_cpu = use.cpu;
  node.used_memory = use.memory;
  node.used_disk = use.disk;
  node.used_runs = use.runs;
  node.used_devices = use.devices;
}

bool would_fit(const Demand& demand, const NodeState& node) { return !refused_by(demand, node); }

}  // namespace

struct Cluster::Victims {
  std::vector<std::string> uids;
  size_t cost = 0;  // how many runs end, the others of their gangs included
};

// The runs of a node, as one that needs room there sees them.
struct Cluster::Occupants {
  // The runs that may give way, as (minus the priority, time of creation, uid). The first to give
  // way is the last here.
  std::vector<std::tuple<int64_t, int64_t, std::string>> candidates;
  std::vector<const Demand*> stay;
};

// The number of runs that end when one of this gang gives way: all that are placed. 0: the gang
// must not give way, because it could not be tried again (a member has ended, or one may not be
// repeated).
size_t Cluster::cost_of_gang(const Gang& gang) const {
  if (gang.members.size() < gang.size) return 0;
  size_t placed = 0;
  for (const std::string& uid : gang.members) {
    const Entry& member = runs_.at(uid);
    if (!member.may_be_evicted) return 0;
    if (!member.node.empty() && !member.being_evicted) ++placed;
  }
  return placed;
}

// The same for any run. The answer for a gang is remembered for all of its members in this round.
size_t Cluster::cost_of(const Entry& run, Round& round) const {
  if (!run.may_be_evicted || run.gang.empty()) return run.may_be_evicted ? 1 : 0;
  const auto [known, is_new] = round.gang_costs.try_emplace(run.gang, 0);
  if (is_new) known->second = cost_of_gang(gangs_.at(run.gang));
  return known->second;
}

// Runs that are being ended already are not counted.
Cluster::Occupants Cluster::occupants_of(const std::set<std::string>& uids, const Entry& entry,
                                         Round& round) {
  Occupants out;
  for (const std::string& uid : uids) {
    const Entry& run = runs_.at(uid);
    if (run.being_evicted) continue;
    if (run.priority < entry.priority && cost_of(run, round) > 0) {
      out.candidates.emplace_back(-run.priority, run.created_ms, uid);
    } else {
      out.stay.push_back(&classes_.at(run.demand).demand);
    }
  }
  std::ranges::sort(out.candidates);
  return out;
}

// The runs that would have to go, those of least priority first and of these the youngest; none if
// enough of them are going already; nothing if not even all of them would do, or if no fewer than
// `below` would end.
std::optional<Cluster::Victims> Cluster::victims_on(NodeIndex::Id id, const Entry& entry,
                                                    size_t below, Round& round) {
  const Demand& demand = classes_.at(entry.demand).demand;
  if (!kind_admits(demand, nodes_.at(id))) return std::nullopt;
  NodeState node = nodes_.at(id);
  const auto there = on_node_.find(node.name);
  if (there == on_node_.end()) return std::nullopt;
  auto [candidates, stay] = occupants_of(there->second, entry, round);
  empty(node);
  for (const Demand* each : stay) occupy(node, *each);
  std::vector<Use> uses = {use_of(node)};  // and then with one candidate more each
  for (const auto& [priority, created, uid] : candidates) {
    occupy(node, classes_.at(runs_.at(uid).demand).demand);
    uses.push_back(use_of(node));
  }
  Victims victims;
  while (victims.cost < below) {
    set_use(node, uses.back());
    if (would_fit(demand, node)) return victims;
    if (candidates.empty()) return std::nullopt;
    const std::string& next = std::get<2>(candidates.back());
    victims.cost += cost_of(runs_.at(next), round);
    victims.uids.push_back(next);
    candidates.pop_back();
    uses.pop_back();
  }
  return std::nullopt;
}

// A gang gives way as one.
std::vector<std::string> Cluster::with_their_gangs(const std::vector<std::string>& victims) const {
  std::set<std::string> all(victims.begin(), victims.end());
  for (const std::string& victim : victims) {
    const auto gang = gangs_.find(runs_.at(victim).gang);
    if (gang == gangs_.end()) continue;
    for (const std::string& uid : gang->second.members) {
      const Entry& member = runs_.at(uid);
      if (!member.node.empty() && !member.being_evicted) all.insert(uid);
    }
  }
  return {all.begin(), all.end()};
}

// A gang makes no room for itself: what ends for it would be given to others before all of it is
// free.
void Cluster::make_room(const std::string& uid, const Entry& entry, Round& round) {
  if (round.preemptions_left == 0) return;
  --round.preemptions_left;
  std::optional<Victims> best;
  for (const auto& [name, id] : nodes_.by_name()) {
    auto fewer = victims_on(id, entry, best ? best->cost : SIZE_MAX, round);
    if (!fewer) continue;
    best = std::move(fewer);
    if (best->uids.empty()) return;  // room is being made already
  }
  if (!best) return;
  for (const std::string& victim : with_their_gangs(best->uids)) {
    runs_.at(victim).being_evicted = true;
    round.plan.preemptions.push_back({victim, cat(entry.name_space, "/", runs_.at(uid).name)});
  }
}

}  // namespace paddock::scheduler
