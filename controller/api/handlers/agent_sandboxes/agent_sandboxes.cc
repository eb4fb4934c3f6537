#include "controller/api/handlers/agent_sandboxes/agent_sandboxes.h"

#include "controller/agent_sandboxes/fields.h"
#include "controller/api/handlers/agent_sandboxes/sandbox_view.h"
#include "controller/api/handlers/sessions/sandboxes.h"
#include "controller/api/objects/changes.h"
#include "controller/api/objects/creates.h"
#include "controller/api/objects/deletes.h"

namespace paddock::api {
namespace {

using contracts::Sandbox;
using wire::Value;

// What every object has, of a document whose spec is looked at elsewhere.
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

void AgentSandboxView::keep(const Value& document, Sandbox& session) {
  const Value& spec = *document.find("spec");
  session.status.agent_sandbox = spec;
  const auto end = agent_sandboxes::end_of(spec, session.metadata.creation_timestamp->value);
  if (end.ok()) session.status.expires_at = wire::Timestamp{*end};
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
