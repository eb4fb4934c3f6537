// The part of Cluster that takes in changes; pass.cc has the decisions.
#include "controller/scheduler/cluster.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/runs/retry.h"

namespace paddock::scheduler {

namespace {

// Since when the run waits; 0: it does not say.
int64_t waits_since(const contracts::RunStatus& status) {
  const auto found = std::ranges::find(status.conditions, "Scheduled", &contracts::Condition::type);
  const bool says = found != status.conditions.end() && found->last_transition_time;
  return says ? found->last_transition_time->value.ms : 0;
}

// How long a run waits after a node refused it for want of room for its files.
Millis pause_after(int64_t refusals) {
  Millis pause = refusals > 1 ? kShortestPause : Millis(0);
  for (int64_t i = 2; i < refusals && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

// How long it is kept off a node that did not begin it, if no other one could take it.
Millis way_back_after(int64_t refusals) {
  const contracts::RetryPolicy policy{.max_backoff = {kLongestUntilAskedAgain}};
  return runs::retry_delay(policy, refusals);
}

}  // namespace

void Cluster::put_node(const contracts::Node& node) {
  const bool known = nodes_.find(node.metadata.name).has_value();
  nodes_.put(state_of(node));
  if (!known) recount(node.metadata.name);  // one that was removed and is back
  freed_.insert(node.metadata.name);
  ++version_;
}

// The runs that were placed there stay in the cluster, as orphans.
void Cluster::remove_node(const std::string& name) {
  nodes_.remove(name);
  ++version_;
}

const Usage& Cluster::used_by(const std::string& name_space) const {
  static const Usage kNothing;
  const auto used = usage_.find(name_space);
  return used == usage_.end() ? kNothing : used->second;
}

Cluster::Entry Cluster::entry_of(const contracts::Run& run) {
  Entry entry;
  entry.name_space = run.metadata.name_space;
  entry.name = run.metadata.name;
  entry.priority = run.spec.priority;
  if (run.metadata.creation_timestamp) entry.created_ms = run.metadata.creation_timestamp->value.ms;
  entry.demand = classes_.join(demand_of(run));
  if (run.status.phase != contracts::RunPhase::kPending) entry.node = run.status.node_name;
  if (run.status.disk_needed && entry.node.empty()) {
    entry.asks_again_ms = waits_since(run.status) + kAsksAgainAfter.count();
    entry.longest_wait_ms = pause_after(run.status.refusals).count();
    if (entry.longest_wait_ms > 0)
      entry.not_before_ms = waits_since(run.status) + entry.longest_wait_ms;
  } else if (entry.node.empty() && !classes_.at(entry.demand).demand.kept_off.empty()) {
    entry.asks_again_ms = waits_since(run.status) + way_back_after(run.status.refusals).count();
  }
  if (run.status.retry_at && run.spec.retry) {
    entry.not_before_ms = run.status.retry_at->value.ms;
    entry.longest_wait_ms = runs::retry_delay(*run.spec.retry, runs::counted_attempts(run)).count();
  }
  if (const auto& element = run.status.element; element && element->members) {
    entry.gang = element->uid;
    entry.gang_size = *element->members;
  }
  entry.may_be_evicted = runs::may_retry(run, contracts::RetryCause::kEvicted);
  entry.being_evicted = run.status.eviction.has_value() || run.spec.cancel_requested;
  return entry;
}

void Cluster::put_run(const contracts::Run& run) {
  const auto known = runs_.find(run.metadata.uid);
  if (contracts::is_terminal(run.status.phase)) {
    if (known != runs_.end()) leave(known);
    return;
  }
  Entry entry = entry_of(run);
  if (known != runs_.end()) {
    Entry& before = known->second;
    const bool same_place = before.node == entry.node && before.demand == entry.demand &&
                            before.priority == entry.priority &&
                            before.not_before_ms == entry.not_before_ms;
    if (same_place) {  // as after our own decisions: nothing became free, nothing is to be placed
      before.may_be_evicted = entry.may_be_evicted;
      before.being_evicted = entry.being_evicted;
      return classes_.leave(entry.demand);
    }
    leave(known);
  }
  enter(run.metadata.uid, std::move(entry));
}

void Cluster::remove_run(const std::string& uid) {
  if (const auto known = runs_.find(uid); known != runs_.end()) leave(known);
}

// The waiting runs of the namespace are explained anew, since their reason may be another one now.
void Cluster::put_quota(const std::string& name_space, const std::string& grant,
                        const std::optional<contracts::ComputeQuota>& quota) {
  if (!config_.quotas.put_granted(name_space, grant, quota)) return;
  ++version_;
  for (const auto& [uid, entry] : runs_) {
    if (entry.queued && entry.name_space == name_space) unexplained_.insert(uid);
  }
}

void Cluster::put_charge(const std::string& uid, const std::string& name_space,
                         const Charge& charge) {
  remove_charge(uid);
  usage_[name_space].charged.add(charge);
  charges_[uid] = {name_space, charge};
  ++version_;
}

void Cluster::remove_charge(const std::string& uid) {
  const auto known = charges_.find(uid);
  if (known == charges_.end()) return;
  const auto& [name_space, charge] = known->second;
  Usage& used = usage_[name_space];
  used.charged.add(charge, -1);
  if (used.nothing()) usage_.erase(name_space);
  charges_.erase(known);
  ++version_;
}

void Cluster::enter(const std::string& uid, Entry entry) {
  Entry& kept = runs_[uid] = std::move(entry);
  ++version_;
  join_gang(uid, kept);
  if (!kept.node.empty()) {
    const std::string node = std::move(kept.node);
    return place(uid, kept, node);
  }
  ++waiting_;
  unexplained_.insert(uid);
  if (kept.asks_again_ms > 0) asking_again_.emplace(kept.asks_again_ms, uid);
  if (kept.not_before_ms > 0) {
    delayed_.emplace(kept.not_before_ms, uid);
  } else {
    enqueue(uid, kept);
  }
}

void Cluster::leave(Runs::iterator run) {
  const std::string uid = run->first;
  Entry& entry = run->second;
  ++version_;
  if (entry.node.empty()) {
    --waiting_;
    dequeue(uid, entry);
    delayed_.erase({entry.not_before_ms, uid});
    asking_again_.erase({entry.asks_again_ms, uid});
    forget_unexplained(uid);
  } else {
    release(uid, entry.node);
    Usage& used = usage_[entry.name_space];
    used.add(classes_.at(entry.demand).demand, -1);
    if (used.nothing()) usage_.erase(entry.name_space);
  }
  leave_gang(uid, entry);
  classes_.leave(entry.demand);
  runs_.erase(run);
}

void Cluster::enqueue(const std::string& uid, Entry& entry) {
  if (!entry.gang.empty()) return wait_with_gang(uid, entry);
  if (entry.queued) return;
  entry.queued = true;
  queue_.add(entry.priority, entry.name_space, entry.demand, {entry.created_ms, uid});
}

void Cluster::dequeue(const std::string& uid, Entry& entry) {
  if (!entry.gang.empty()) return stop_waiting_with_gang(uid, entry);
  if (!entry.queued) return;
  entry.queued = false;
  queue_.remove(entry.priority, entry.name_space, entry.demand, {entry.created_ms, uid});
}

void Cluster::join_gang(const std::string& uid, const Entry& entry) {
  if (entry.gang.empty()) return;
  Gang& gang = gangs_[entry.gang];
  gang.members.insert(uid);
  gang.size = static_cast<size_t>(entry.gang_size);
}

void Cluster::leave_gang(const std::string& uid, const Entry& entry) {
  const auto gang = gangs_.find(entry.gang);
  if (gang == gangs_.end()) return;
  gang->second.members.erase(uid);
  if (gang->second.members.empty()) gangs_.erase(gang);
}

// The last one to come puts the gang into the queue.
void Cluster::wait_with_gang(const std::string& uid, const Entry& entry) {
  Gang& gang = gangs_.at(entry.gang);
  if (!gang.due.insert(uid).second || !all_wait(gang)) return;
  const std::string& first = *gang.due.begin();
  Entry& head = runs_.at(first);
  head.queued = true;
  queue_.add(head.priority, head.name_space, head.demand, {head.created_ms, first});
  unexplained_.insert(gang.due.begin(), gang.due.end());
}

void Cluster::stop_waiting_with_gang(const std::string& uid, const Entry& entry) {
  Gang& gang = gangs_.at(entry.gang);
  if (!gang.due.contains(uid)) return;
  if (all_wait(gang)) {
    const std::string& first = *gang.due.begin();
    Entry& head = runs_.at(first);
    head.queued = false;
    queue_.remove(head.priority, head.name_space, head.demand, {head.created_ms, first});
  }
  gang.due.erase(uid);
}

void Cluster::place(const std::string& uid, Entry& entry, const std::string& node) {
  entry.node = node;
  on_node_[node].insert(uid);
  const Demand& demand = classes_.at(entry.demand).demand;
  usage_[entry.name_space].add(demand);
  if (const auto id = nodes_.find(node)) nodes_.occupy(*id, demand);
  ++version_;
}

void Cluster::release(const std::string& uid, const std::string& node) {
  auto& there = on_node_[node];
  there.erase(uid);
  if (there.empty()) on_node_.erase(node);
  freed_.insert(node);
  recount(node);
}

void Cluster::recount(const std::string& node) {
  const auto id = nodes_.find(node);
  if (!id) return;
  std::vector<const Demand*> placed;
  if (const auto there = on_node_.find(node); there != on_node_.end()) {
    for (const std::string& uid : there->second)
      placed.push_back(&classes_.at(runs_.at(uid).demand).demand);
  }
  nodes_.recount(*id, placed);
}

std::optional<WallTime> Cluster::next_due() const {
  std::optional<WallTime> due;
  for (const auto* each : {&delayed_, &asking_again_}) {
    if (each->empty()) continue;
    const WallTime first{each->begin()->first};
    due = due ? std::min(*due, first) : first;
  }
  return due;
}

std::vector<std::string> Cluster::orphans() const {
  std::vector<std::string> out;
  for (const auto& [node, uids] : on_node_) {
    if (!nodes_.find(node)) out.insert(out.end(), uids.begin(), uids.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string Cluster::fingerprint() const {
  std::string text;
  for (const auto& [name, id] : nodes_.by_name()) {
    const NodeState& node = nodes_.at(id);
    text += cat("node ", name, " ", node.used_runs, " ", node.used_cpu, " ", node.used_memory, " ",
                node.used_devices[static_cast<size_t>(contracts::AcceleratorKind::kAny)], " ",
                kind_key(node), "\n");
  }
  for (const auto& [uid, run] : runs_) {
    text += cat("run ", uid, " ", run.name_space, " ", run.priority, " ", run.created_ms, " ",
                run.node, " ", run.gang, " ", run.not_before_ms, " ", run.may_be_evicted,
                run.being_evicted, "\n");
  }
  for (const auto& [name, used] : usage_)
    text += cat("use ", name, " ", used.runs, " ", used.cpu, " ", used.memory, " ",
                used.accelerators, " ", used.charged.runs, " ", used.charged.memory, "\n");
  for (const auto& [name, granted] : config_.quotas.granted()) {
    for (const auto& [grant, quota] : granted)
      text += cat("quota ", name, "/", grant, " ", contracts::quota_text(quota, {}), "\n");
  }
  return text;
}

}  // namespace paddock::scheduler
