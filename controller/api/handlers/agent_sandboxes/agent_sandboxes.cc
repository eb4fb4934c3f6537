#include "controller/api/handlers/agent_sandboxes/agent_sandboxes.h"

#include "common/base/time.h"
#include "controller/agent_sandboxes/fields.h"
#include "controller/api/handlers/agent_sandboxes/sandbox_view.h"
#include "controller/api/handlers/sessions/sandboxes.h"
#include "controller/api/objects/changes.h"
#include "controller/api/objects/creates.h"
#include "controller/api/objects/deletes.h"
#include "controller/k8s/columns.h"

namespace paddock::api {
namespace {

using contracts::Sandbox;
using wire::Value;

// Reads the fields that every object has. The document's spec is checked elsewhere.
Result<Sandbox> envelope_of(const Written& written) {
  Value own = written.document;
  TRY(k8s::check_kind(own.text("apiVersion"), own.text("kind"), AgentSandboxView::resource()));
  TRY(agent_sandboxes::check_fields(agent_sandboxes::Kind::kSandbox, own));
  own.set("apiVersion", contracts::kApiVersion);
  own.erase("spec");
  own.erase("status");
  return decode_object<Sandbox>(own, written.validation, written.warnings);
}

Result<Response> in_its_words(Result<Response> answer) {
  if (answer.ok()) return answer;
  return agent_sandboxes::in_its_words(std::move(answer).error());
}

}  // namespace

Result<Sandbox> AgentSandboxView::made(const Services& services, const Written& written) {
  ASSIGN_OR_RETURN(Sandbox session, envelope_of(written));
  const Value& spec = *written.document.find("spec");
  TRY(agent_sandboxes::end_of(spec, services.clock.wall()));
  ASSIGN_OR_RETURN(session.spec,
                   agent_sandboxes::session_spec(spec, services.images, services.profiles));
  return session;
}

Result<Sandbox> AgentSandboxView::changed(const Services&, const Sandbox& live,
                                          const Written& written) {
  ASSIGN_OR_RETURN(Sandbox next, envelope_of(written));
  const Value& spec = *written.document.find("spec");
  TRY(agent_sandboxes::end_of(spec, live.metadata.creation_timestamp->value));
  ASSIGN_OR_RETURN(next.spec, agent_sandboxes::changed_spec(live, spec));
  return next;
}

// The end of one that is there moves only where the caller says so: it may have one that no
// document of this group named.
void AgentSandboxView::keep(const Value& document, Sandbox& session) {
  const Value& spec = *document.find("spec");
  const auto& before = session.status.agent_sandbox;
  const std::string shown = before ? before->text("shutdownTime") : "";
  session.status.agent_sandbox = spec;
  if (session.status.expires_at && spec.text("shutdownTime") == shown) return;
  const auto end = agent_sandboxes::end_of(spec, session.metadata.creation_timestamp->value);
  if (end.ok()) session.status.expires_at = wire::Timestamp{*end};
}

Value AgentSandboxView::columns() {
  return Value::Array{k8s::column("Name", "string", "name of the Sandbox"),
                      k8s::column("Ready", "string", "whether commands can be run in it"),
                      k8s::column("Reason", "string", "why, or why not"),
                      k8s::column("Age", "date", "since it was created"),
                      k8s::column("Node", "string", "where it lives", 1),
                      k8s::column("Ends-In", "string", "what is left of its time", 1)};
}

Value AgentSandboxView::cells(const Sandbox& session, WallTime now) {
  const contracts::Condition ready = agent_sandboxes::conditions_of(session).front();
  const auto& end = session.status.expires_at;
  const bool lives = session.status.phase != contracts::SandboxPhase::kEnded;
  return Value::Array{session.metadata.name,
                      ready.status,
                      ready.reason,
                      k8s::age(session.metadata.creation_timestamp, now),
                      k8s::or_none(lives ? session.status.node_name : ""),
                      lives && end ? format_age(end->value - now) : "<none>"};
}

Result<Response> create_agent_sandbox(Call& call) {
  return in_its_words(create_object<Sandbox, AgentSandboxView>(call));
}

Result<Response> change_agent_sandbox(Call& call) {
  return in_its_words(change_object<Sandbox, AgentSandboxView>(call));
}

Result<Response> destroy_agent_sandbox(Call& call) {
  return destroy_session(call, deletion_response<Sandbox, AgentSandboxView>);
}

}  // namespace paddock::api
