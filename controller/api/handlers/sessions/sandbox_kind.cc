#include "controller/api/handlers/sessions/sandbox_kind.h"

#include "common/base/text.h"
#include "common/base/time.h"
#include "common/base/units.h"
#include "common/contracts/node.h"
#include "controller/api/objects/spec_differences.h"
#include "controller/sessions/life.h"
#include "controller/sessions/node_trouble.h"

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
  const contracts::Condition* trouble = contracts::node_trouble(status);
  if (trouble != nullptr && status.phase != SandboxPhase::kEnded)
    return {"Ready", "False", trouble->reason, trouble->message, trouble->last_transition_time};
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

}  // namespace

k8s::Labels KindTraits<Sandbox>::selectable_fields(const Sandbox& session) {
  k8s::Labels fields = common_fields(session.metadata);
  fields["status.phase"] = wire::enum_name(session.status.phase);
  fields["status.nodeName"] = session.status.node_name;
  return fields;
}

void KindTraits<Sandbox>::complete(Services&, Sandbox& session) {
  std::vector<contracts::Condition> conditions = {ready_condition(session)};
  const contracts::Condition* trouble = contracts::node_trouble(session.status);
  if (trouble != nullptr && session.status.phase != contracts::SandboxPhase::kEnded)
    conditions.push_back(*trouble);
  session.status.conditions = std::move(conditions);
}

Status KindTraits<Sandbox>::look_around(Services& services, Sandbox& session) {
  if (session.status.phase == contracts::SandboxPhase::kEnded) return {};
  TRY(services.store.read([&](store::ReadTxn& txn) -> Status {
    const std::string& name = session.status.node_name;
    ASSIGN_OR_RETURN(const auto node, txn.find<contracts::Node>({"", name}));
    sessions::put_trouble(session, sessions::trouble_of(name, node ? &*node : nullptr));
    return {};
  }));
  complete(services, session);
  return {};
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
