#include "controller/api/handlers/nodes/node_operations.h"

#include <memory>
#include <optional>
#include <utility>

#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"
#include "controller/events/topic_listener.h"
#include "controller/nodes/drain_and_cordon.h"
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
    ASSIGN_OR_RETURN(request, decode_body<contracts::DrainRequest>(call.body));
  }
  const auto drained = nodes::drain(call.services.store, call.param("node"), request.grace.value,
                                    call.now(), recorder(call, contracts::audit::kNodeDrain));
  if (!drained.ok()) return drained.error();
  return get_drain(call);
}

namespace {

// Answered at the next change of the node, or when its time is over.
class HeldDrain final : public HeldAnswer {
 public:
  HeldDrain(Services& services, std::string node, uint64_t seen, Millis hold)
      : services_(services),
        node_(std::move(node)),
        changed_(services.notifier, store::node_topic(node_)),
        seen_(seen),
        until_(services.clock.mono() + hold) {}
  std::optional<Millis> wait(const std::shared_ptr<Waker>& waker) override {
    const Millis left = until_ - services_.clock.mono();
    if (left <= Millis(0) || changed_.stopped() || changed_.version() != seen_) return std::nullopt;
    changed_.listen(seen_, waker);
    return left;
  }
  Result<Response> make() override {
    ASSIGN_OR_RETURN(const auto report, nodes::drain_report(services_.store, node_));
    return object_response(report);
  }

 private:
  Services& services_;
  const std::string node_;
  events::TopicListener changed_;
  const uint64_t seen_;
  const MonoTime until_;
};

}  // namespace

// Held for at most waitMs while nothing on the node changes.
Result<Response> get_drain(Call& call) {
  const std::string& node = call.param("node");
  const uint64_t seen = call.services.notifier.version(store::node_topic(node));
  ASSIGN_OR_RETURN(const auto wait_ms,
                   integer_parameter(call.request, "waitMs", 0, nodes::kMaxHold.count()));
  ASSIGN_OR_RETURN(const auto report, nodes::drain_report(call.services.store, node));
  if (wait_ms.value_or(0) <= 0 || !report.draining || report.drained)
    return object_response(report);
  Response response;
  response.later = std::make_shared<HeldDrain>(call.services, node, seen, Millis(*wait_ms));
  return response;
}

Result<Response> taint_node(Call& call) {
  ASSIGN_OR_RETURN(auto request, decode_body<contracts::TaintsRequest>(call.body));
  ASSIGN_OR_RETURN(
      const contracts::Node node,
      nodes::set_taints(call.services.store, call.param("node"), std::move(request.taints),
                        recorder(call, contracts::audit::kNodeTaint)));
  return object_response(node);
}

}  // namespace paddock::api
