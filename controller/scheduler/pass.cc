// One pass: from what may have become possible to bindings.
#include <algorithm>

#include "common/base/text.h"
#include "controller/scheduler/cluster.h"

namespace paddock::scheduler {

namespace {

constexpr size_t kFewNodes = 64;  // more freed nodes than this, and every class is looked at again
constexpr size_t kAnswerBytes = 64 << 20;

struct Head {
  const Waiting* run = nullptr;
  DemandClasses::Id demand = 0;
  Queue::Line* line = nullptr;
};

// For std::*_heap, which keep the largest in front: the oldest run is the largest.
bool younger_head(const Head& a, const Head& b) { return *b.run < *a.run; }

}  // namespace

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

void Cluster::ask_again(WallTime now) {
  while (!asking_again_.empty() && asking_again_.begin()->first <= now.ms) {
    const auto run = runs_.find(asking_again_.begin()->second);
    const std::string uid = run->first;
    Entry entry = run->second;
    Demand demand = classes_.at(entry.demand).demand;
    demand.disk_for_files = 0;
    leave(run);
    entry.demand = classes_.join(demand);
    entry.queued = false;
    entry.asks_again_ms = 0;
    enter(uid, std::move(entry));
  }
}

// A class that fitted nowhere can only fit now where something became free or changed.
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
    each.blocked = !look_at_all && std::ranges::none_of(freed, [&](NodeIndex::Id id) {
      return nodes_.admits(each.demand, each.answers, id);
    });
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
      !config_.quotas.allows(*tenant.name, charged(*tenant.name), charge_of(wanted.demand)))
    return !tenant.heads.empty();
  const std::string uid = head.run->uid;
  Entry& entry = runs_.at(uid);
  const auto node = nodes_.search(wanted.demand, wanted.answers);
  if (!node) {
    wanted.blocked = true;
    if (config_.preemption) make_room(uid, entry, round);
    return !tenant.heads.empty();
  }
  head.line->erase(head.line->begin());
  entry.queued = false;
  asking_again_.erase({entry.asks_again_ms, uid});
  entry.asks_again_ms = entry.not_before_ms = entry.longest_wait_ms = 0;
  --waiting_;
  forget_unexplained(uid);
  place(uid, entry, nodes_.at(*node).name);
  round.plan.bindings.push_back({entry.name_space, entry.name, uid, entry.node});
  tenant.share = dominant_share(used_by(*tenant.name), nodes_.capacity(), quota.weight);
  if (!head.line->empty()) {
    tenant.heads.push_back({&*head.line->begin(), head.demand, head.line});
    std::ranges::push_heap(tenant.heads, younger_head);
  }
  return !tenant.heads.empty();
}

}  // namespace paddock::scheduler
