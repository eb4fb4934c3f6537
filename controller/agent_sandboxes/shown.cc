// A session as a Sandbox of agents.x-k8s.io.
#include "common/base/text.h"
#include "common/contracts/agent_sandbox.h"
#include "common/wire/describe.h"
#include "controller/agent_sandboxes/mapping.h"

namespace paddock::agent_sandboxes {
namespace {

using contracts::Condition;
using contracts::Sandbox;
using contracts::SandboxPhase;
using wire::Value;

// Reasons of conditions, in the words of the project (kubernetes-sigs/agent-sandbox).
constexpr const char* kExpired = "SandboxExpired";
constexpr const char* kFailed = "PodFailed";
constexpr const char* kSucceeded = "PodSucceeded";
constexpr const char* kSuspended = "SandboxSuspended";
constexpr const char* kNotReady = "DependenciesNotReady";
constexpr const char* kReady = "DependenciesReady";
constexpr const char* kTerminated = "PodTerminated";
constexpr const char* kNotSuspended = "NotSuspended";

bool has_ended(const Sandbox& session) { return session.status.phase == SandboxPhase::kEnded; }

bool is_suspended(const Sandbox& session) { return session.spec.suspended.value_or(false); }

std::string until(const Sandbox& session) {
  const auto& end = session.status.expires_at;
  return end ? cat("commands can be run in it until ", format_time(end->value))
             : "commands can be run in it";
}

Condition ready(const Sandbox& session) {
  const contracts::SessionStatus& status = session.status;
  if (has_ended(session)) {
    const bool over = status.reason == Reason("LIFETIME_OVER");
    return {"Ready", "False", over ? kExpired : kFailed, status.message, status.ended_at};
  }
  if (is_suspended(session))
    return {"Ready", "False", kSuspended, "no command is taken while it is suspended", {}};
  if (const Condition* trouble = contracts::node_trouble(status))
    return {"Ready", "False", kNotReady, trouble->message, trouble->last_transition_time};
  if (status.phase == SandboxPhase::kPending)
    return {"Ready", "False", kNotReady, "its node has not made it yet; its first use does", {}};
  return {"Ready", "True", kReady, until(session), status.ready_at};
}

Condition suspended(const Sandbox& session) {
  if (is_suspended(session))
    return {"Suspended",
            "True",
            kTerminated,
            "no new command is taken; commands that run go on to their end, and the files stay",
            {}};
  return {"Suspended", "False", kNotSuspended, "", {}};
}

// When what was asked of it last changed, which suspending and resuming are; else when it was made.
std::optional<wire::Timestamp> changed_at(const Sandbox& session) {
  std::optional<wire::Timestamp> latest = session.metadata.creation_timestamp;
  for (const contracts::ManagedFields& each : session.metadata.managed_fields) {
    if (each.time && each.subresource.empty() && (!latest || latest->value < each.time->value))
      latest = each.time;
  }
  return latest;
}

// The spec that is shown of a session that was made without a document.
Value made_up_spec(const Sandbox& session) {
  Value container = Value::Object{{"name", "session"}, {"image", kSessionImage}};
  if (const auto& memory = session.spec.security.limits.memory_bytes)
    container.set("resources",
                  Value::Object{{"limits", Value::Object{{"memory", std::to_string(*memory)}}}});
  Value pod = Value::Object{{"containers", Value::Array{std::move(container)}}};
  return Value::Object{{"podTemplate", Value::Object{{"spec", std::move(pod)}}}};
}

Value metadata_of(const Sandbox& session) {
  contracts::ObjectMeta meta = session.metadata;
  for (auto& entry : meta.managed_fields) entry.api_version = contracts::kAgentsApiVersion;
  return wire::encode(meta);
}

}  // namespace

std::vector<Condition> conditions_of(const Sandbox& session) {
  std::vector<Condition> out = {ready(session), suspended(session)};
  // Clients of Kubernetes require the time in each.
  for (Condition& each : out)
    if (!each.last_transition_time) each.last_transition_time = changed_at(session);
  if (!has_ended(session)) return out;
  const bool lost = session.status.reason != Reason("LIFETIME_OVER") &&
                    session.status.reason != Reason("IDLE_TIMEOUT") &&
                    session.status.reason != Reason("DELETED");
  out.push_back({"Finished", "True", lost ? kFailed : kSucceeded, session.status.message,
                 session.status.ended_at});
  return out;
}

Value document_of(const Sandbox& session) {
  Value spec = session.status.agent_sandbox ? *session.status.agent_sandbox : made_up_spec(session);
  spec.set("operatingMode", is_suspended(session) ? "Suspended" : "Running");
  Value conditions = Value::Array{};
  for (const Condition& each : conditions_of(session)) conditions.push_back(wire::encode(each));
  Value status = Value::Object{{"conditions", std::move(conditions)}};
  if (!has_ended(session) && !session.status.node_name.empty())
    status.set("nodeName", session.status.node_name);
  return Value::Object{{"apiVersion", contracts::kAgentsApiVersion},
                       {"kind", "Sandbox"},
                       {"metadata", metadata_of(session)},
                       {"spec", std::move(spec)},
                       {"status", std::move(status)}};
}

}  // namespace paddock::agent_sandboxes
