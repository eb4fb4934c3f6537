#include "controller/agent_sandboxes/claims.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/wire/describe.h"
#include "controller/agent_sandboxes/mapping.h"

namespace paddock::agent_sandboxes {
namespace {

using contracts::Condition;
using contracts::SandboxClaim;
using contracts::SandboxClaimStatus;
using contracts::SandboxTemplate;
using wire::Value;

constexpr const char* kAllowed = "Allowed";
constexpr const char* kOverrides = "Overrides";
constexpr const char* kOnDemand = "OnDemand";       // of a pool's condition
constexpr const char* kMissing = "SandboxMissing";  // of a claim's

Error refuse_env(std::string field, std::string message) {
  std::string sentence = cat(field, ": ", message);
  return {Code::kFailedPrecondition,
          "FIELD_NOT_SERVED",
          std::move(sentence),
          {{std::move(field), std::move(message)}}};
}

// The row of this name in a list of variables, or its end.
Value::Array::iterator row_of(Value::Array& env, const std::string& name) {
  return std::ranges::find_if(env, [&](const Value& each) { return each.text("name") == name; });
}

// Both are lists of {name, value}, as the fields are served.
Status merge_env(const Value& wanted, const std::string& policy, Value::Array& env) {
  for (size_t i = 0; i < wanted.array()->size(); ++i) {
    const Value& row = (*wanted.array())[i];
    const std::string field = cat("spec.env[", i, "]");
    if (policy != kAllowed && policy != kOverrides)
      return refuse_env(field,
                        "the template lets no claim set variables: leave it out, or set "
                        "envVarsInjectionPolicy there");
    const auto found = row_of(env, row.text("name"));
    if (found != env.end() && policy != kOverrides)
      return refuse_env(field, "the template has this variable, and lets no claim change it");
    Value made = Value::Object{{"name", row.text("name")}, {"value", row.text("value")}};
    if (found != env.end())
      *found = std::move(made);
    else
      env.push_back(std::move(made));
  }
  return {};
}

Status add_env(const SandboxClaim& claim, const SandboxTemplate& made_of, Value& spec) {
  const Value* wanted = claim.spec.find("env");
  if (wanted == nullptr || wanted->array() == nullptr) return {};
  Value* containers = spec.find("podTemplate")->find("spec")->find("containers");
  if (containers == nullptr || containers->array()->empty()) return {};
  Value& container = containers->array()->front();
  Value::Array env;
  if (const Value* own = container.find("env"); own != nullptr && own->array() != nullptr)
    env = *own->array();
  TRY(merge_env(*wanted, made_of.spec.text("envVarsInjectionPolicy"), env));
  container.set("env", std::move(env));
  return {};
}

Value condition(std::string_view status, std::string_view reason, std::string_view message) {
  return Value::Object{
      {"type", "Ready"}, {"status", status}, {"reason", reason}, {"message", message}};
}

}  // namespace

std::string wanted_pool(const SandboxClaim& claim) { return claim.spec.text("warmPoolRef.name"); }

std::string template_of(const contracts::SandboxWarmPool& pool) {
  return pool.spec.text("sandboxTemplateRef.name");
}

Result<Value> sandbox_for(const SandboxClaim& claim, const SandboxTemplate& made_of) {
  Value spec = made_of.spec;
  for (const char* name : {"networkPolicy", "networkPolicyManagement", "envVarsInjectionPolicy",
                           "volumeClaimTemplatesPolicy"})
    spec.erase(name);
  TRY(add_env(claim, made_of, spec));
  const std::string end = claim.spec.text("lifecycle.shutdownTime");
  if (!end.empty()) spec.set("shutdownTime", end);
  Value metadata = Value::Object{{"name", claim.metadata.name},
                                 {"namespace", claim.metadata.name_space},
                                 {"labels", wire::encode(claim.metadata.labels)}};
  return Value(Value::Object{{"apiVersion", contracts::kAgentsApiVersion},
                             {"kind", "Sandbox"},
                             {"metadata", std::move(metadata)},
                             {"spec", std::move(spec)}});
}

bool denies_network(const SandboxTemplate& made_of) {
  const Value* policy = made_of.spec.find("networkPolicy");
  return policy != nullptr && policy->object() != nullptr &&
         made_of.spec.text("networkPolicyManagement") != "Unmanaged";
}

SandboxClaimStatus bound(const contracts::Sandbox& session) {
  SandboxClaimStatus status;
  status.conditions = conditions_of(session);
  status.sandbox = contracts::ClaimedSandbox{session.metadata.name};
  return status;
}

SandboxClaimStatus unbound(std::string_view reason, std::string message) {
  SandboxClaimStatus status;
  status.conditions = {{"Ready", "False", std::string(reason), std::move(message), {}}};
  return status;
}

SandboxClaimStatus lost(const contracts::Sandbox& session, WallTime now) {
  SandboxClaimStatus status = bound(session);
  const Condition before = status.conditions.front();
  Condition after{"Ready", "False", kMissing,
                  "its Sandbox was deleted; delete the claim, and make another",
                  wire::Timestamp{now}};
  if (before.status == after.status) after.last_transition_time = before.last_transition_time;
  status.conditions = {std::move(after)};
  return status;
}

bool is_bound(const SandboxClaim& claim) { return claim.status.sandbox.has_value(); }

bool goes_with_its_session(const SandboxClaim& claim) {
  return claim.spec.text("lifecycle.shutdownPolicy").starts_with("Delete");
}

Value pool_status() {
  return Value::Object{
      {"replicas", 0},
      {"readyReplicas", 0},
      {"conditions",
       Value::Array{condition("True", kOnDemand,
                              "no sandbox is held ready: each claim is given one that is made for "
                              "it, in milliseconds")}}};
}

void add_times(Value& object) {
  constexpr const char* kTime = "lastTransitionTime";
  const Value* made = object.at("metadata.creationTimestamp");
  Value* status = object.find("status");
  Value* conditions = status == nullptr ? nullptr : status->find("conditions");
  if (made == nullptr || conditions == nullptr || conditions->array() == nullptr) return;
  for (Value& each : *conditions->array())
    if (each.find(kTime) == nullptr) each.set(kTime, *made);
}

}  // namespace paddock::agent_sandboxes
