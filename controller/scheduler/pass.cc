// One pass of the scheduler: it looks at the runs that may have become placeable, and makes
// bindings.
#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "controller/scheduler/cluster.h"

namespace paddock::scheduler {

namespace {

constexpr size_t kFewNodes = 64;  // more freed nodes than this, and every class is looked at again
constexpr size_t kAnswerBytes = 64 << 20;

// Those that look again do so together, and wake nobody for each.
WallTime next_common_time(WallTime time) {
  constexpr int64_t kTogether = 10'000;
  return WallTime{(time.ms + kTogether - 1) / kTogether * kTogether};
}

// For std::*_heap, which keep the largest in front: the oldest run is the largest.
constexpr auto younger_head = [](const auto& a, const auto& b) { return *b.run < *a.run; };

}  // namespace

struct Cluster::Head {
  const Waiting* run = nullptr;
  DemandClasses::Id demand = 0;
  Queue::Line* line = nullptr;
};

// A namespace in its turn, at one priority.
struct Cluster::Tenant {
  const std::string* name = nullptr;
  double share = 0;
  std::vector<Head> heads;  // a heap: the oldest run of each class that may fit
};

Plan Cluster::pass(WallTime now, size_t most) {
  nodes_.pass_time(now);
  wake_due(now);
  ask_again(now);
  unblock();
  Round round;
  round.most = most;
  auto& levels = queue_.levels();
  for (auto level = levels.begin(); level != levels.end();) {
    const bool more = place_level(level->second, round);
    level = level->second.empty() ? levels.erase(level) : std::next(level);
    if (!more) break;
  }
  return std::move(round.plan);
}

// A clock that went back does not make anyone wait longer than was meant.
void Cluster::wake_due(WallTime now) {
  std::vector<std::pair<int64_t, std::string>> due;
  for (const auto& each : delayed_) {
    const int64_t left = each.first - now.ms;
    if (left <= 0 || left > runs_.at(each.second).longest_wait_ms) due.push_back(each);
  }
  for (const auto& each : due) {
    delayed_.erase(each);
    enqueue(each.second, runs_.at(each.second));
    unexplained_.insert(each.second);
    ++version_;
  }
}

// The run itself; of a gang all that wait, for they are placed by the demand of one.
std::vector<Cluster::Runs::iterator> Cluster::who_asks_with(const std::string& uid) {
  const auto gang = gangs_.find(runs_.at(uid).gang);
  if (gang == gangs_.end()) return {runs_.find(uid)};
  std::vector<Runs::iterator> out;
  for (const std::string& member : gang->second.members) {
    const auto run = runs_.find(member);
    if (run->second.node.empty()) out.push_back(run);
  }
  return out;
}

// Whether another node than the one that they are kept off could take runs of this class once it
// has no other. Found out once for all of them, as long as nothing changes.
bool Cluster::others_could(DemandClasses::Id id) {
  DemandClass& asking = classes_.at(id);
  if (asking.others_version == version_) return asking.others_could;
  Demand demand = asking.demand;
  demand.goes_back = false;
  asking.others_version = version_;
  asking.others_could = std::ranges::any_of(nodes_.by_name(), [&](const auto& each) {
    return could_take(demand, nodes_.at(each.second));
  });
  return asking.others_could;
}

// The first or the last of those that ask again: by a clock that went back the last may be due,
// which makes no one wait longer than is ever meant.
std::optional<std::string> Cluster::next_to_ask(WallTime now) const {
  if (asking_again_.empty()) return std::nullopt;
  const auto& [first_ms, first] = *asking_again_.begin();
  const auto& [last_ms, last] = *asking_again_.rbegin();
  if (first_ms <= now.ms) return first;
  return last_ms > (now + kLongestUntilAskedAgain).ms ? std::optional(last) : std::nullopt;
}

// However many wait for one node, no more ask it at a time than it has slots, and each once in its
// pause, which doubles. What the node itself may be to blame for has it rest as well
// (nodes/cool_down.h).
void Cluster::ask_again(WallTime now) {
  while (const auto uid = next_to_ask(now)) {
    const Entry& first = runs_.at(*uid);
    const Demand& before = classes_.at(first.demand).demand;
    const bool kept_off = !before.kept_off.empty();
    const bool others = kept_off && others_could(first.demand);
    const int64_t again_ms = kept_off ? next_common_time(now + kOthersLookedAt).ms : 0;
    if (kept_off && before.disk_for_files == 0 && before.goes_back == !others) {
      look_again(*uid, others, again_ms);
    } else {
      ask_otherwise(*uid, kept_off && !others, again_ms);
    }
  }
}

// Nothing has changed for it.
void Cluster::look_again(const std::string& uid, bool others, int64_t again_ms) {
  Entry& entry = runs_.at(uid);
  asking_again_.erase({entry.asks_again_ms, uid});
  asking_again_.emplace(again_ms, uid);
  entry.asks_again_ms = again_ms;
  if (std::exchange(entry.others_could, others) != others) unexplained_.insert(uid);
}

// Whatever its files were said to take; also of the node that it is kept off, if it goes back.
void Cluster::ask_otherwise(const std::string& uid, bool goes_back, int64_t again_ms) {
  std::vector<std::pair<std::string, Entry>> asking;
  for (const auto& run : who_asks_with(uid)) {
    Entry& entry = asking.emplace_back(*run).second;
    Demand demand = classes_.at(entry.demand).demand;
    demand.disk_for_files = 0;
    demand.goes_back = goes_back;
    leave(run);
    entry.demand = classes_.join(demand);
    entry.queued = false;
    entry.others_could = !demand.kept_off.empty() && !goes_back;
    entry.asks_again_ms = again_ms;
  }
  for (auto& [each, entry] : asking) enter(each, std::move(entry));
}

// A class that fitted nowhere can only fit now where something became free or changed; a gang's
// once that holds of as many nodes as it missed. One that took part before may be counted again:
// then it is looked at too early, never too late.
void Cluster::unblock() {
  classes_.forget_answers_over(kAnswerBytes);
  std::vector<NodeIndex::Id> freed;
  for (const std::string& name : freed_) {
    if (const auto id = nodes_.find(name)) freed.push_back(*id);
  }
  freed_.clear();
  const bool look_at_all = all_changed_ || freed.size() > kFewNodes;
  all_changed_ = false;
  classes_.each([&](DemandClass& each) {
    if (!each.blocked) return;
    for (auto id = freed.begin(); !look_at_all && each.missing > 0 && id != freed.end(); ++id) {
      if (nodes_.admits(each.demand, each.answers, *id)) --each.missing;
    }
    each.blocked = !look_at_all && each.missing > 0;
  });
}

bool Cluster::place_level(Queue::Level& level, Round& round) {
  std::vector<Tenant> tenants;
  for (auto& [name, space] : level) {
    Tenant tenant{.name = &name};
    tenant.share = dominant_share(used_by(name), nodes_.capacity(), config_.quotas.of(name).weight);
    for (auto& [id, line] : space) {
      if (!classes_.at(id).blocked) tenant.heads.push_back({&*line.begin(), id, &line});
    }
    std::ranges::make_heap(tenant.heads, younger_head);
    if (!tenant.heads.empty()) tenants.push_back(std::move(tenant));
  }
  // Keeps the smallest share in front; among equals the first name.
  const auto later = [](const Tenant& a, const Tenant& b) {
    return a.share != b.share ? a.share > b.share : *a.name > *b.name;
  };
  std::ranges::make_heap(tenants, later);
  while (!tenants.empty() && round.plan.bindings.size() < round.most) {
    std::ranges::pop_heap(tenants, later);
    if (step(tenants.back(), round)) {
      std::ranges::push_heap(tenants, later);
    } else {
      tenants.pop_back();
    }
  }
  for (auto& [name, space] : level) std::erase_if(space, [](auto& e) { return e.second.empty(); });
  std::erase_if(level, [](const auto& each) { return each.second.empty(); });
  return round.plan.bindings.size() < round.most;
}

// Looks at the tenant's oldest run. False: it has none left that may fit.
bool Cluster::step(Tenant& tenant, Round& round) {
  std::ranges::pop_heap(tenant.heads, younger_head);
  const Head head = tenant.heads.back();
  tenant.heads.pop_back();
  DemandClass& wanted = classes_.at(head.demand);
  const Quota& quota = config_.quotas.of(*tenant.name);
  if (wanted.blocked ||
      !config_.quotas.allows(*tenant.name, charged(*tenant.name), whole_charge_of(wanted.demand)))
    return !tenant.heads.empty();
  if (!place_head(head, wanted, round)) {
    wanted.blocked = true;
    return !tenant.heads.empty();
  }
  head.line->erase(head.line->begin());
  tenant.share = dominant_share(used_by(*tenant.name), nodes_.capacity(), quota.weight);
  if (!head.line->empty()) {
    tenant.heads.push_back({&*head.line->begin(), head.demand, head.line});
    std::ranges::push_heap(tenant.heads, younger_head);
  }
  return !tenant.heads.empty();
}

// The caller takes the run off its queue.
bool Cluster::place_head(const Head& head, DemandClass& wanted, Round& round) {
  const std::string uid = head.run->uid;
  Entry& entry = runs_.at(uid);
  if (!entry.gang.empty()) return place_gang(entry.gang, wanted, round);
  const auto node = nodes_.search(wanted.demand, wanted.answers);
  if (!node) {
    // Nobody makes room for one that may be refused once more.
    if (config_.preemption && !wanted.demand.goes_back) make_room(uid, entry, round);
    wanted.missing = 1;
    return false;
  }
  bind(uid, entry, *node, round);
  return true;
}

// The first member's demand stands for all: they ask for the same.
bool Cluster::place_gang(const std::string& gang, DemandClass& wanted, Round& round) {
  std::set<std::string>& due = gangs_.at(gang).due;
  const auto [nodes, missing] = nodes_.search_many(wanted.demand, wanted.answers, due.size());
  wanted.missing = missing;
  if (missing > 0) return false;
  const std::set<std::string> members = std::exchange(due, {});
  auto node = nodes.begin();
  for (const std::string& uid : members) bind(uid, runs_.at(uid), *node++, round);
  return true;
}

void Cluster::bind(const std::string& uid, Entry& entry, NodeIndex::Id node, Round& round) {
  entry.queued = false;
  asking_again_.erase({entry.asks_again_ms, uid});
  entry.asks_again_ms = entry.not_before_ms = entry.longest_wait_ms = 0;
  --waiting_;
  forget_unexplained(uid);
  place(uid, entry, nodes_.at(node).name);
  round.plan.bindings.push_back({entry.name_space, entry.name, uid, entry.node});
}

}  // namespace paddock::scheduler
