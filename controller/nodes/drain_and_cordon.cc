#include "controller/nodes/drain_and_cordon.h"

#include <functional>

#include "controller/runs/retry.h"

namespace paddock::nodes {

namespace {

using contracts::Node;

Result<Node> change_spec(store::Store& store, const std::string& name,
                         const std::function<void(contracts::NodeSpec&)>& change,
                         const Record& record) {
  Node node;
  const Status written = store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(node, txn.get<Node>({"", name}));
    const wire::Value before = wire::encode(node.spec);
    change(node.spec);
    if (wire::encode(node.spec) == before) return {};
    node.metadata.generation += 1;
    txn.touch(store::kSchedulerTopic);
    TRY(txn.update(node));
    return record ? record(txn) : Status();
  });
  if (!written.ok()) return written.error();
  return node;
}

std::string fate_of(const contracts::Run& run) {
  if (run.status.eviction || run.spec.cancel_requested) return "ending";
  return runs::may_retry(run, contracts::RetryCause::kEvicted) ? "retried" : "ended";
}

}  // namespace

Result<Node> set_unschedulable(store::Store& store, const std::string& node, bool unschedulable,
                               const Record& record) {
  const auto change = [&](contracts::NodeSpec& spec) {
    spec.unschedulable = unschedulable;
    if (!unschedulable) spec.drain.reset();
  };
  return change_spec(store, node, change, record);
}

Result<Node> drain(store::Store& store, const std::string& node, Millis grace, WallTime now,
                   const Record& record) {
  const auto change = [&](contracts::NodeSpec& spec) {
    spec.unschedulable = true;
    spec.drain = contracts::Drain{wire::Timestamp{now}, wire::Timestamp{now + grace}};
  };
  return change_spec(store, node, change, record);
}

Result<Node> set_taints(store::Store& store, const std::string& node,
                        std::vector<contracts::Taint> taints, const Record& record) {
  const auto change = [&](contracts::NodeSpec& spec) { spec.taints = taints; };
  return change_spec(store, node, change, record);
}

Result<contracts::DrainReport> drain_report(store::Store& store, const std::string& node) {
  contracts::DrainReport report;
  const Status seen = store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const Node found, txn.get<Node>({"", node}));
    ASSIGN_OR_RETURN(const auto runs, txn.active_runs_on(node));
    report.node = node;
    report.cordoned = found.spec.unschedulable;
    report.draining = found.spec.drain.has_value();
    if (found.spec.drain) report.evict_at = found.spec.drain->evict_at;
    for (const contracts::Run& run : runs) {
      report.waiting_for.push_back(
          {run.metadata.name_space, run.metadata.name, run.status.phase, fate_of(run)});
    }
    ASSIGN_OR_RETURN(const auto sessions, txn.session_keys_on(node));
    for (const store::Key& key : sessions) report.sessions.push_back({key.name_space, key.name});
    report.drained = report.draining && runs.empty() && sessions.empty();
    return {};
  });
  if (!seen.ok()) return seen.error();
  return report;
}

}  // namespace paddock::nodes
