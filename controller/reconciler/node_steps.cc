// The steps that are about nodes: silence, loss, drains.
#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/protocol.h"
#include "controller/nodes/cool_down.h"
#include "controller/reconciler/steps.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::reconciler {

namespace {

using contracts::Node;
using contracts::Run;

Status mark(store::WriteTxn& txn, const std::string& name, Reason reason, std::string message) {
  ASSIGN_OR_RETURN(auto node, txn.find<Node>({"", name}));
  // A node whose protocol is refused has its reason already.
  if (!node || node->status.reason == contracts::kProtocolMismatch) return {};
  node->status.ready = false;
  node->status.reason = reason;
  node->status.message = std::move(message);
  return txn.update(*node);
}

Status lose(store::WriteTxn& txn, Run run, const std::string& message, WallTime now,
            TickReport& report) {
  const std::string node = run.status.node_name;
  runs::Events events = runs::lose_node(run, message, now);
  if (events.empty()) return {};
  txn.touch(store::node_topic(node));
  ++report.lost;
  return store::save_run(txn, run, std::move(events));
}

Status give_up_node(store::WriteTxn& txn, const std::string& name, Millis silence, WallTime now,
                    TickReport& report) {
  TRY(mark(txn, name, contracts::kNodeLost,
           cat("lost: not heard from for ", format_duration(silence), "; its runs were given up")));
  ASSIGN_OR_RETURN(std::vector<Run> runs, txn.active_runs_on(name));
  for (Run& run : runs) {
    TRY(lose(txn, std::move(run),
             cat("node ", name, " was not heard from for ", format_duration(silence),
                 "; how the run ended is not known"),
             now, report));
  }
  return {};
}

}  // namespace

Status mark_silent_nodes(store::WriteTxn& txn, const ClusterCache& cache,
                         const nodes::LeaseTable& leases, MonoTime now) {
  const Millis lease = leases.times().lease;
  for (const std::string& name : cache.ready_nodes()) {
    if (leases.silence(name, now) < lease) continue;
    TRY(mark(txn, name, contracts::kLeaseExpired,
             cat("not heard from for ", format_duration(lease))));
  }
  return {};
}

Status give_up_lost(store::WriteTxn& txn, const ClusterCache& cache,
                    const nodes::LeaseTable& leases, std::set<std::string>& given_up,
                    nodes::Now now, TickReport& report) {
  const Millis limit = leases.times().lost_after;
  for (const auto& [name, id] : cache.cluster().nodes().by_name()) {
    if (leases.silence(name, now.mono) < limit) {
      given_up.erase(name);
    } else if (given_up.insert(name).second) {
      TRY(give_up_node(txn, name, limit, now.wall, report));
    }
  }
  for (const std::string& uid : cache.cluster().orphans()) {
    ASSIGN_OR_RETURN(Run run, txn.run_by_uid(uid));
    const std::string message =
        cat("node ", run.status.node_name, " was removed while it held the run");
    TRY(lose(txn, std::move(run), message, now.wall, report));
  }
  return {};
}

Status end_rests(store::WriteTxn& txn, const ClusterCache& cache, WallTime now) {
  for (const auto& [name, until] : cache.resting()) {
    ASSIGN_OR_RETURN(auto node, txn.find<Node>({"", name}));
    if (!node || !node->status.cool_down || nodes::rests(*node->status.cool_down, now)) continue;
    node->status.cool_down->until.reset();
    TRY(txn.update(*node));
  }
  return {};
}

namespace {

// Everybody has so long to end, also where a drain is over or this controller was away.
constexpr Millis kLeastGrace{2'000};

struct DrainTimes {
  WallTime tell_at;  // so early that the run has its grace before the drain is over
  WallTime kill_at;  // when that is over
};

DrainTimes times_for(const Run& run, WallTime evict_at) {
  DrainTimes out{evict_at, evict_at + kLeastGrace};
  if (run.spec.termination_grace) out.tell_at = evict_at + -run.spec.termination_grace->value;
  const auto& eviction = run.status.eviction;
  if (eviction && eviction->at) out.kill_at = std::max(evict_at, eviction->at->value) + kLeastGrace;
  return out;
}

runs::Events end_for_drain(Run& run, const std::string& node, WallTime evict_at, WallTime now) {
  const std::string why =
      now < evict_at ? cat("node ", node, " is being drained, and the run was asked to end")
                     : cat("node ", node, " is drained and its grace is over");
  runs::Events events = runs::evict(run, {runs::kNodeDrained, why, {}}, now);
  if (events.empty() && now >= times_for(run, evict_at).kill_at) events = runs::kill_now(run, now);
  return events;
}

}  // namespace

Status end_on_drained_nodes(store::WriteTxn& txn, const ClusterCache& cache, WallTime now,
                            TickReport& report) {
  report.next_drain = std::chrono::hours(1);
  const auto sooner = [&](WallTime at) {
    if (now < at) report.next_drain = std::min(report.next_drain, at - now);
  };
  for (const auto& [name, evict_at] : cache.drains()) {
    ASSIGN_OR_RETURN(std::vector<Run> runs, txn.active_runs_on(name));
    for (Run& run : runs) {
      const bool was_told = run.status.eviction.has_value();
      const WallTime tell_at = times_for(run, evict_at).tell_at;
      sooner(tell_at);
      if (now < tell_at) continue;
      runs::Events events = end_for_drain(run, name, evict_at, now);
      sooner(times_for(run, evict_at).kill_at);
      if (events.empty()) continue;
      if (!was_told && run.status.eviction) ++report.evicted;
      TRY(store::save_run(txn, run, std::move(events)));
    }
  }
  return {};
}

Millis next_tick(const ClusterCache& cache, const nodes::LeaseTable& leases, nodes::Now now) {
  const nodes::LeaseTimes& times = leases.times();
  Millis next = times.lease;
  const auto sooner = [&next](Millis left) { next = std::clamp(left, Millis(0), next); };
  for (const auto& [name, id] : cache.cluster().nodes().by_name()) {
    const Millis silence = leases.silence(name, now.mono);
    for (const Millis limit : {times.lease, times.lost_after}) {
      if (silence < limit) sooner(limit - silence);
    }
  }
  if (const auto due = cache.cluster().next_due()) sooner(*due - now.wall);
  if (!cache.deadlines().empty()) sooner(WallTime{cache.deadlines().begin()->first} - now.wall);
  if (!cache.kills().empty()) sooner(WallTime{cache.kills().begin()->first} - now.wall);
  for (const auto& [name, until] : cache.resting()) sooner(until - now.wall);
  for (const auto& [name, evict_at] : cache.drains()) {
    if (now.wall < evict_at) sooner(evict_at - now.wall);
  }
  return next;
}

}  // namespace paddock::reconciler
