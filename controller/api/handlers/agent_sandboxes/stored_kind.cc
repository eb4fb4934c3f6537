#include "controller/api/handlers/agent_sandboxes/stored_kind.h"

#include "controller/agent_sandboxes/claims.h"
#include "controller/api/handlers/agent_sandboxes/binding.h"
#include "controller/api/handlers/sessions/sandbox_kind.h"
#include "controller/k8s/columns.h"
#include "controller/sessions/life.h"

namespace paddock::api {

using contracts::SandboxClaim;
using contracts::SandboxTemplate;
using contracts::SandboxWarmPool;
using wire::Value;

namespace {

const Value kName = k8s::column("Name", "string", "name");
const Value kAge = k8s::column("Age", "date", "since it was created");

std::string age(const contracts::ObjectMeta& meta, WallTime now) {
  return k8s::age(meta.creation_timestamp, now);
}

template <class T>
Result<T> parsed(agent_sandboxes::Kind kind, const Written& written) {
  TRY(k8s::check_kind(written.document.text("apiVersion"), written.document.text("kind"),
                      k8s::resource_of(T::kKind)));
  TRY(agent_sandboxes::check_fields(kind, written.document));
  Value own = written.document;
  own.erase("status");  // the server's
  return decode_object<T>(own, written.validation, written.warnings);
}

// The Ready condition's.
std::pair<std::string, std::string> state_of(const SandboxClaim& claim) {
  for (const auto& each : claim.status.conditions) {
    if (each.type == "Ready") return {each.status, each.reason};
  }
  return {"", ""};
}

}  // namespace

template <>
Result<SandboxTemplate> AgentView<SandboxTemplate>::made(const Services&, const Written& written) {
  return parsed<SandboxTemplate>(agent_sandboxes::Kind::kTemplate, written);
}
template <>
Result<SandboxWarmPool> AgentView<SandboxWarmPool>::made(const Services&, const Written& written) {
  ASSIGN_OR_RETURN(auto pool, parsed<SandboxWarmPool>(agent_sandboxes::Kind::kWarmPool, written));
  const Value* replicas = pool.spec.find("replicas");
  if (replicas == nullptr || replicas->integer() == nullptr || *replicas->integer() > 0)
    written.warnings.emplace_back(
        "spec.replicas: no sandbox is held ready; each claim is given one that is made for it");
  return pool;
}
template <>
Result<SandboxClaim> AgentView<SandboxClaim>::made(const Services&, const Written& written) {
  return parsed<SandboxClaim>(agent_sandboxes::Kind::kClaim, written);
}

template <>
Value AgentView<SandboxTemplate>::columns() {
  return Value::Array{kName, kAge};
}
template <>
Value AgentView<SandboxTemplate>::cells(const SandboxTemplate& object, WallTime now) {
  return Value::Array{object.metadata.name, age(object.metadata, now)};
}
template <>
Value AgentView<SandboxWarmPool>::columns() {
  return Value::Array{kName, k8s::column("Ready", "integer", "sandboxes that it holds"),
                      k8s::column("Desired", "integer", "sandboxes that were asked for"), kAge};
}
template <>
Value AgentView<SandboxWarmPool>::cells(const SandboxWarmPool& pool, WallTime now) {
  const Value* replicas = pool.spec.find("replicas");
  return Value::Array{pool.metadata.name, 0, replicas == nullptr ? Value(1) : *replicas,
                      age(pool.metadata, now)};
}
template <>
Value AgentView<SandboxClaim>::columns() {
  return Value::Array{kName, k8s::column("Ready", "string", "whether commands can be run in it"),
                      k8s::column("Sandbox", "string", "what it was given"),
                      k8s::column("Reason", "string", "why, or why not"), kAge};
}
template <>
Value AgentView<SandboxClaim>::cells(const SandboxClaim& claim, WallTime now) {
  const auto [status, reason] = state_of(claim);
  const auto& sandbox = claim.status.sandbox;
  return Value::Array{claim.metadata.name, status, k8s::or_none(sandbox ? sandbox->name : ""),
                      reason, age(claim.metadata, now)};
}

Status KindTraits<SandboxTemplate>::after_create(const Call& call, SandboxTemplate&) {
  return bind_waiting_claims(call);
}
Status KindTraits<SandboxTemplate>::after_update(const Call& call, SandboxTemplate&) {
  return bind_waiting_claims(call);
}
Status KindTraits<SandboxTemplate>::let_go(store::WriteTxn& txn, const T& object, WallTime now) {
  return erase_if_free(txn, object, now);
}
Result<bool> KindTraits<SandboxTemplate>::remove(store::WriteTxn& txn, const Call& call, T& object,
                                                 const DeleteOptions& options) {
  return mark_or_erase(txn, object, options, call.now());
}

Status KindTraits<SandboxWarmPool>::prepare_new(Services&, SandboxWarmPool& pool) {
  pool.status = agent_sandboxes::pool_status();
  return {};
}
Status KindTraits<SandboxWarmPool>::after_create(const Call& call, SandboxWarmPool&) {
  return bind_waiting_claims(call);
}
Status KindTraits<SandboxWarmPool>::after_update(const Call& call, SandboxWarmPool&) {
  return bind_waiting_claims(call);
}
Status KindTraits<SandboxWarmPool>::let_go(store::WriteTxn& txn, const T& object, WallTime now) {
  return erase_if_free(txn, object, now);
}
Result<bool> KindTraits<SandboxWarmPool>::remove(store::WriteTxn& txn, const Call& call, T& object,
                                                 const DeleteOptions& options) {
  return mark_or_erase(txn, object, options, call.now());
}

Status KindTraits<SandboxClaim>::prepare_new(Services&, SandboxClaim& claim) {
  claim.status = agent_sandboxes::unbound("SandboxCreatePending", "its Sandbox is being made");
  return {};
}
Status KindTraits<SandboxClaim>::after_create(const Call& call, SandboxClaim& claim) {
  return bind_claim(call, claim);
}
Status KindTraits<SandboxClaim>::check_update(Services&, const SandboxClaim& live,
                                              SandboxClaim& next) {
  return immutable(
      spec_differences(live, next, "what a claim asks for is fixed: delete it, and make another"));
}
Status KindTraits<SandboxClaim>::after_update(const Call& call, SandboxClaim& claim) {
  return waits(claim) ? bind_claim(call, claim) : Status();
}
Status KindTraits<SandboxClaim>::let_go(store::WriteTxn& txn, const T& object, WallTime now) {
  return erase_if_free(txn, object, now);
}
Result<bool> KindTraits<SandboxClaim>::remove(store::WriteTxn& txn, const Call& call, T& object,
                                              const DeleteOptions& options) {
  return mark_or_erase(txn, object, options, call.now());
}

Status KindTraits<SandboxClaim>::prepare_delete(store::WriteTxn& txn, const SandboxClaim& claim,
                                                WallTime now) {
  const store::Key key{claim.metadata.name_space, claim.metadata.name};
  ASSIGN_OR_RETURN(auto session, txn.find<contracts::Sandbox>(key));
  if (!session || session->status.claim != claim.metadata.name) return {};
  session->status.claim.clear();  // nothing more is told to it
  if (session->status.phase != contracts::SandboxPhase::kEnded)
    TRY(sessions::end(txn, *session, sessions::kDeleted, now));
  if (!session->metadata.finalizers.empty()) return {};
  TRY(KindTraits<contracts::Sandbox>::prepare_delete(txn, *session, now));
  return txn.erase<contracts::Sandbox>(key);
}

}  // namespace paddock::api
