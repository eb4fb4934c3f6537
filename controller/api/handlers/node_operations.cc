#include "controller/api/handlers/node_operations.h"

#include "common/base/log.h"
#include "controller/api/documents.h"
#include "controller/nodes/operate.h"
#include "controller/nodes/synchronize.h"

namespace paddock::api {
namespace {

void record(const Call& call, const char* what) {
  log_info(what, {{"node", call.param("node")}, {"by", call.principal.subject}});
}

Result<Response> set_schedulable(Call& call, bool schedulable) {
  TRY(refuse_dry_run(call.request, call.body));
  ASSIGN_OR_RETURN(const contracts::Node node,
                   nodes::set_unschedulable(call.services.store, call.param("node"), !schedulable));
  record(call, schedulable ? "node uncordoned" : "node cordoned");
  return object_response(node);
}

}  // namespace

Result<Response> cordon_node(Call& call) { return set_schedulable(call, false); }
Result<Response> uncordon_node(Call& call) { return set_schedulable(call, true); }

Result<Response> drain_node(Call& call) {
  TRY(refuse_dry_run(call.request, call.body));
  contracts::DrainRequest request;
  if (!call.body.is_null()) {
    ASSIGN_OR_RETURN(request, wire::decode<contracts::DrainRequest>(call.body));
  }
  const auto drained =
      nodes::drain(call.services.store, call.param("node"), request.grace.value, call.now());
  if (!drained.ok()) return drained.error();
  record(call, "node is being drained");
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
    notifier.wait(store::node_topic(node), seen, Millis(*wait_ms),
                  [&] { return !call.request.connected(); });
    ASSIGN_OR_RETURN(report, nodes::drain_report(call.services.store, node));
  }
  return object_response(report);
}

Result<Response> taint_node(Call& call) {
  TRY(refuse_dry_run(call.request, wire::Value()));
  ASSIGN_OR_RETURN(auto request, wire::decode<contracts::TaintsRequest>(call.body));
  ASSIGN_OR_RETURN(
      const contracts::Node node,
      nodes::set_taints(call.services.store, call.param("node"), std::move(request.taints)));
  record(call, "node's taints set");
  return object_response(node);
}

}  // namespace paddock::api
