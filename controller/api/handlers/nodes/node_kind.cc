#include "controller/api/handlers/nodes/node_kind.h"

#include <algorithm>

#include "controller/api/objects/spec_differences.h"
#include "controller/api/server/services.h"
#include "controller/nodes/leases.h"

namespace paddock::api {
namespace {

using contracts::Node;

// The Ready condition of a node, for `kubectl wait`: it holds a lease and can begin runs.
contracts::Condition ready_condition(const contracts::NodeStatus& status) {
  if (!status.ready)
    return {"Ready",
            "False",
            status.reason.empty() ? Reason("NO_LEASE") : status.reason,
            status.message,
            {}};
  if (const contracts::Condition* fault = contracts::unfit(status))
    return {
        "Ready", "False", fault->reason.empty() ? fault->type : fault->reason, fault->message, {}};
  return {"Ready", "True", Reason("LEASE_HELD"), "it holds a lease and takes runs", {}};
}

}  // namespace

void KindTraits<Node>::complete(Services& services, Node& node) {
  if (const auto seen = services.leases.last_seen(node.metadata.name))
    node.status.last_seen = wire::Timestamp{*seen};
  std::erase_if(node.status.conditions, [](const auto& each) { return each.type == "Ready"; });
  node.status.conditions.push_back(ready_condition(node.status));
}

Error KindTraits<Node>::not_creatable() {
  return {Code::kNotFound, "NODE_NOT_FOUND",
          "there is no such node; nodes come into being when their agents enrol"};
}

Status KindTraits<Node>::check_update(Services&, const Node& live, Node& next) {
  if (live.spec.unschedulable && !next.spec.unschedulable) next.spec.drain.reset();
  if (next.spec.drain && !next.spec.unschedulable)
    return immutable({{"spec.unschedulable", "must be true while the node is being drained"}});
  if (spec_differs(live, next)) ++next.metadata.generation;
  return {};
}

Status KindTraits<Node>::save_update(Services&, store::WriteTxn& txn, Node& next, WallTime) {
  txn.touch(store::kSchedulerTopic);
  txn.touch(store::node_topic(next.metadata.name));
  return txn.update(next);
}

}  // namespace paddock::api
