#include "controller/api/handlers/sessions/sandbox_kind.h"

#include "common/base/text.h"
#include "common/base/time.h"
#include "common/base/units.h"
#include "common/contracts/node.h"
#include "common/contracts/session_calls.h"
#include "controller/api/objects/spec_differences.h"
#include "controller/sessions/life.h"

namespace paddock::api {
namespace {

using contracts::Sandbox;

// The Ready condition of a session, for `kubectl wait`: commands can be run in it.
contracts::Condition ready_condition(const Sandbox& session) {
  const contracts::SessionStatus& status = session.status;
  using contracts::SandboxPhase;
  const bool suspended = session.spec.suspended.value_or(false);
  if (suspended && status.phase != SandboxPhase::kEnded)
    return {"Ready",
            "False",
            Reason("SESSION_SUSPENDED"),
            "no command is taken while it is suspended",
            {}};
  if (status.phase == SandboxPhase::kReady)
    return {"Ready", "True", Reason("OPEN"), "commands can be run in it", status.ready_at};
  if (status.phase == SandboxPhase::kPending)
    return {"Ready",
            "False",
            Reason("PENDING"),
            "its node has not made it yet; its first use does",
            {}};
  return {"Ready", "False", status.reason.empty() ? Reason("ENDED") : status.reason, status.message,
          status.ended_at};
}

// Why no command can be relied on while its node is like this.
std::optional<contracts::Condition> trouble_of(const contracts::Node& node) {
  const contracts::NodeStatus& status = node.status;
  if (!status.ready)
    return contracts::Condition{
        "Ready",
        "False",
        status.reason.empty() ? std::string(contracts::kNodeLost.text()) : status.reason,
        cat("its node ", node.metadata.name,
            " is away, and no command reaches it; its files stay there",
            status.message.empty() ? "" : ": ", status.message),
        {}};
  const contracts::Condition* fault = contracts::host_fault(status);
  if (fault == nullptr) return std::nullopt;
  return contracts::Condition{
      "Ready", "False", fault->reason,
      cat("its node ", node.metadata.name, " has a fault: ", fault->message),
      fault->last_transition_time};
}

// Its next use records that it has ended.
std::optional<contracts::Condition> removed(const std::string& node) {
  return contracts::Condition{
      "Ready", "False", contracts::kSessionLost, cat("its node ", node, " was removed"), {}};
}

}  // namespace

k8s::Labels KindTraits<Sandbox>::selectable_fields(const Sandbox& session) {
  k8s::Labels fields = common_fields(session.metadata);
  fields["status.phase"] = wire::enum_name(session.status.phase);
  fields["status.nodeName"] = session.status.node_name;
  return fields;
}

void KindTraits<Sandbox>::complete(Services&, Sandbox& session) {
  session.status.conditions = {ready_condition(session)};
}

Status KindTraits<Sandbox>::look_around(Services& services, Sandbox& session) {
  if (session.status.phase == contracts::SandboxPhase::kEnded ||
      session.spec.suspended.value_or(false))
    return {};
  return services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto node, txn.find<contracts::Node>({"", session.status.node_name}));
    auto trouble = node ? trouble_of(*node) : removed(session.status.node_name);
    if (trouble) session.status.conditions = {std::move(*trouble)};
    return {};
  });
}

std::map<std::string, std::string> KindTraits<Sandbox>::audit_details(const Sandbox& session) {
  std::map<std::string, std::string> details;
  if (session.spec.lifetime) details["lifetime"] = format_duration(session.spec.lifetime->value);
  if (session.spec.suspended.value_or(false)) details["suspended"] = "true";
  return details;
}

namespace {

// The lifetime counts from the creation. The document of agents.x-k8s.io that the session was made
// for gives its end as a time.
void move_end(Sandbox& session) {
  const WallTime end = session.metadata.creation_timestamp->value + session.spec.lifetime->value;
  session.status.expires_at = wire::Timestamp{end};
  if (session.status.agent_sandbox)
    session.status.agent_sandbox->set("shutdownTime", format_time(end));
}

}  // namespace

Status KindTraits<Sandbox>::check_update(Services&, const Sandbox& live, Sandbox& next) {
  next.spec = contracts::with_session_defaults(std::move(next.spec));
  Sandbox otherwise = next;
  otherwise.spec.suspended = live.spec.suspended;
  otherwise.spec.lifetime = live.spec.lifetime;
  TRY(immutable(
      spec_differences(live, otherwise, "a session's policy is fixed; create another session")));
  if (next.spec.lifetime != live.spec.lifetime) {
    TRY(sessions::check_lives(live));
    move_end(next);
  }
  if (spec_differs(live, next)) next.metadata.generation += 1;
  return {};
}

}  // namespace paddock::api
