#include "controller/api/handlers/nodes/node_operations.h"

#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"
#include "controller/events/notifier.h"
#include "controller/nodes/operate.h"
#include "controller/nodes/synchronize.h"

namespace paddock::api {
namespace {

nodes::Record recorder(const Call& call, std::string_view type) {
  return [&call, type](store::WriteTxn& txn) {
    contracts::ObjectMeta meta;
    meta.name = call.param("node");
    return record(txn, call, type, "nodes", meta);
  };
}

Result<Response> set_schedulable(Call& call, bool schedulable) {
  const nodes::Record recorded =
      recorder(call, schedulable ? contracts::audit::kNodeUncordon : contracts::audit::kNodeCordon);
  ASSIGN_OR_RETURN(
      const contracts::Node node,
      nodes::set_unschedulable(call.services.store, call.param("node"), !schedulable, recorded));
  return object_response(node);
}

}  // namespace

Result<Response> cordon_node(Call& call) { return set_schedulable(call, false); }
Result<Response> uncordon_node(Call& call) { return set_schedulable(call, true); }

Result<Response> drain_node(Call& call) {
  contracts::DrainRequest request;
  if (!call.body.is_null()) {
    ASSIGN_OR_RETURN(request, wire::decode<contracts::DrainRequest>(call.body));
  }
  const auto drained = nodes::drain(call.services.store, call.param("node"), request.grace.value,
                                    call.now(), recorder(call, contracts::audit::kNodeDrain));
  if (!drained.ok()) return drained.error();
  return get_drain(call);
}

// Held for at most waitMs while nothing on the node changes.
Result<Response> get_drain(Call& call) {
  const std::string& node = call.param("node");
  events::Notifier& notifier = call.services.notifier;
  const uint64_t seen = notifier.version(store::node_topic(node));
  ASSIGN_OR_RETURN(const auto wait_ms,
                   integer_parameter(call.request, "waitMs", 0, nodes::kMaxHold.count()));
  ASSIGN_OR_RETURN(auto report, nodes::drain_report(call.services.store, node));
  if (wait_ms.value_or(0) > 0 && report.draining && !report.drained) {
    events::Waiter waiter(call.request.client);
    notifier.wait(store::node_topic(node), seen, Millis(*wait_ms), waiter);
    ASSIGN_OR_RETURN(report, nodes::drain_report(call.services.store, node));
  }
  return object_response(report);
}

Result<Response> taint_node(Call& call) {
  ASSIGN_OR_RETURN(auto request, wire::decode<contracts::TaintsRequest>(call.body));
  ASSIGN_OR_RETURN(
      const contracts::Node node,
      nodes::set_taints(call.services.store, call.param("node"), std::move(request.taints),
                        recorder(call, contracts::audit::kNodeTaint)));
  return object_response(node);
}

}  // namespace paddock::api
