#include "controller/reconciler/reconciler.h"

#include <algorithm>
#include <set>

#include "common/base/text.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"

namespace paddock::reconciler {

namespace {

using contracts::Node;
using contracts::Run;

constexpr int64_t kToldPositions = 100;

struct World {
  std::vector<Run> active;
  std::vector<Node> nodes;
};

Result<World> look(store::Store& store) {
  World world;
  Status seen = store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(world.active, txn.active_runs());
    ASSIGN_OR_RETURN(auto page, txn.list<Node>({}));
    world.nodes = std::move(page.items);
    return {};
  });
  if (!seen.ok()) return std::move(seen).error();
  return world;
}

// Marks nodes whose lease is over. In the store and in `world`, so that nothing is placed there.
Status expire_leases(store::WriteTxn& txn, World& world, const nodes::LeaseTable& leases,
                     nodes::Now now) {
  for (Node& node : world.nodes) {
    if (!node.status.ready) continue;
    if (leases.silence(node.metadata.name, now.mono) < nodes::kLease) continue;
    ASSIGN_OR_RETURN(node, txn.get<Node>({"", node.metadata.name}));
    node.status.ready = false;
    node.status.message = cat("not heard from for ", format_duration(nodes::kLease));
    TRY(txn.update(node));
  }
  return {};
}

// Why this run's node will never report, or nothing.
std::optional<std::string> loss(const Run& run, const std::set<std::string>& known,
                                const nodes::LeaseTable& leases, MonoTime now) {
  const std::string& node = run.status.node_name;
  if (run.status.phase == contracts::RunPhase::kPending) return std::nullopt;
  if (!known.contains(node)) return cat("node ", node, " was removed while it held the run");
  if (leases.silence(node, now) < nodes::kLostAfter) return std::nullopt;
  return cat("node ", node, " was not heard from for ", format_duration(nodes::kLostAfter),
             "; how the run ended is not known");
}

Status lose_runs(store::WriteTxn& txn, World& world, const nodes::LeaseTable& leases,
                 nodes::Now now, TickReport& report) {
  std::set<std::string> known;
  for (const Node& node : world.nodes) known.insert(node.metadata.name);
  for (Run& run : world.active) {
    const auto message = loss(run, known, leases, now.mono);
    if (!message) continue;
    ASSIGN_OR_RETURN(run, txn.run_by_uid(run.metadata.uid));
    runs::Events events = runs::lose_node(run, *message, now.wall);
    if (events.empty()) continue;
    TRY(store::save_run(txn, run, std::move(events)));
    ++report.lost;
  }
  return {};
}

// The stored run, if it still waits: it may have been cancelled or deleted since we looked.
Result<std::optional<Run>> still_pending(store::WriteTxn& txn, const std::string& uid) {
  auto run = txn.run_by_uid(uid);
  if (!run.ok()) {
    if (run.error().code == Code::kNotFound) return std::optional<Run>();
    return std::move(run).error();
  }
  if (run->status.phase != contracts::RunPhase::kPending) return std::optional<Run>();
  return std::optional<Run>(std::move(*run));
}

// Beyond the first hundred the place is not told: each run that leaves would rewrite all behind it.
std::string explained(const scheduler::Unplaced& unplaced) {
  return unplaced.position <= kToldPositions
             ? cat(unplaced.message, "; position ", unplaced.position, " in the queue")
             : cat(unplaced.message, "; position over ", kToldPositions, " in the queue");
}

Status commit(store::WriteTxn& txn, const scheduler::Plan& plan, WallTime now, TickReport& report) {
  for (const scheduler::Binding& binding : plan.bindings) {
    ASSIGN_OR_RETURN(std::optional<Run> run, still_pending(txn, binding.uid));
    if (!run) continue;
    ASSIGN_OR_RETURN(runs::Events events, runs::bind(*run, binding.node, now));
    TRY(store::save_run(txn, *run, std::move(events)));
    ++report.bound;
  }
  for (const scheduler::Unplaced& unplaced : plan.unplaced) {
    ASSIGN_OR_RETURN(std::optional<Run> run, still_pending(txn, unplaced.uid));
    if (!run) continue;
    ++report.waiting;
    runs::Events events = runs::explain_pending(*run, explained(unplaced), now);
    if (!events.empty()) TRY(store::save_run(txn, *run, std::move(events)));
  }
  return {};
}

// When the next lease or grace period can be over.
Millis next_tick(const World& world, const nodes::LeaseTable& leases, MonoTime now) {
  Millis next = nodes::kLease;
  for (const Node& node : world.nodes) {
    const Millis silence = leases.silence(node.metadata.name, now);
    for (const Millis limit : {nodes::kLease, nodes::kLostAfter}) {
      if (silence < limit) next = std::min(next, limit - silence);
    }
  }
  return next;
}

}  // namespace

Result<TickReport> tick(store::Store& store, nodes::LeaseTable& leases, nodes::Now now,
                        const scheduler::Quotas& quotas) {
  ASSIGN_OR_RETURN(World world, look(store));
  TickReport report;
  Status written = store.write([&](store::WriteTxn& txn) -> Status {
    report = {};
    TRY(expire_leases(txn, world, leases, now));
    TRY(lose_runs(txn, world, leases, now, report));
    std::erase_if(world.active,
                  [](const Run& run) { return contracts::is_terminal(run.status.phase); });
    const auto plan =
        scheduler::schedule(scheduler::make_snapshot(world.active, world.nodes, quotas));
    return commit(txn, plan, now.wall, report);
  });
  if (!written.ok()) return std::move(written).error();
  report.next = next_tick(world, leases, now.mono);
  return report;
}

}  // namespace paddock::reconciler
