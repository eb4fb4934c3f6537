#include "controller/agent_sandboxes/claims.h"

#include <gtest/gtest.h>

#include "common/wire/yaml.h"
#include "controller/agent_sandboxes/fields.h"

namespace paddock::agent_sandboxes {
namespace {

using contracts::SandboxClaim;
using contracts::SandboxTemplate;
using wire::Value;

Value yaml_of(std::string_view text) { return wire::parse_yaml(text).value(); }

SandboxTemplate template_with(std::string_view more) {
  SandboxTemplate out;
  out.metadata.name = "t";
  out.spec =
      yaml_of(cat("{podTemplate: {spec: {containers: [{name: c, image: paddock/session, "
                  "env: [{name: A, value: template}]}]}}",
                  more, "}"));
  return out;
}

SandboxClaim claim_with(std::string_view more) {
  SandboxClaim out;
  out.metadata.name = "c";
  out.metadata.name_space = "default";
  out.metadata.labels = {{"team", "a"}};
  out.spec = yaml_of(cat("{warmPoolRef: {name: p}", more, "}"));
  return out;
}

// The variables of the claim's Sandbox, or what is refused.
std::string env_of(const SandboxClaim& claim, const SandboxTemplate& made_of) {
  const auto made = sandbox_for(claim, made_of);
  if (!made.ok()) return made.error().causes.at(0).field;
  std::string out;
  const Value& container = made->at("spec.podTemplate.spec.containers")->array()->front();
  for (const Value& each : *container.find("env")->array())
    out += cat(each.text("name"), "=", each.text("value"), " ");
  return out;
}

TEST(AgentSandboxClaim, ItsSandboxIsItsTemplatesUnderItsOwnName) {
  const auto made = sandbox_for(claim_with(", lifecycle: {shutdownTime: '2026-01-02T03:04:05Z'}"),
                                template_with(", networkPolicyManagement: Managed"));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->text("metadata.name"), "c");
  EXPECT_EQ(made->text("metadata.labels.team"), "a");
  EXPECT_EQ(made->text("spec.shutdownTime"), "2026-01-02T03:04:05Z");
  EXPECT_TRUE(check_fields(Kind::kSandbox, *made).ok());
}

TEST(AgentSandboxClaim, VariablesAreSetAsFarAsTheTemplateLetsIt) {
  const SandboxClaim other = claim_with(", env: [{name: B, value: claim}]");
  const SandboxClaim same = claim_with(", env: [{name: A, value: claim}]");
  EXPECT_EQ(env_of(claim_with(""), template_with("")), "A=template ");
  EXPECT_EQ(env_of(other, template_with("")), "spec.env[0]");
  EXPECT_EQ(env_of(other, template_with(", envVarsInjectionPolicy: Disallowed")), "spec.env[0]");
  EXPECT_EQ(env_of(other, template_with(", envVarsInjectionPolicy: Allowed")),
            "A=template B=claim ");
  EXPECT_EQ(env_of(same, template_with(", envVarsInjectionPolicy: Allowed")), "spec.env[0]");
  EXPECT_EQ(env_of(same, template_with(", envVarsInjectionPolicy: Overrides")), "A=claim ");
}

TEST(AgentSandboxClaim, ATemplateThatDeniesAllIsKeptAndRulesAreRefused) {
  EXPECT_FALSE(denies_network(template_with("")));
  EXPECT_TRUE(denies_network(template_with(", networkPolicy: {ingress: [], egress: []}")));
  const auto refused = [](std::string_view more) {
    const Value whole = Value::Object{{"spec", template_with(more).spec}};
    const Status checked = check_fields(Kind::kTemplate, whole);
    return checked.ok() ? std::string() : checked.error().causes.at(0).field;
  };
  EXPECT_EQ(refused(", networkPolicy: {egress: [{ports: [{port: 443}]}]}"),
            "spec.networkPolicy.egress");
  EXPECT_EQ(refused(", networkPolicy: {ingress: [], egress: []}"), "");
  EXPECT_EQ(refused(", volumeClaimTemplatesPolicy: Allowed"), "spec.volumeClaimTemplatesPolicy");
}

TEST(AgentSandboxClaim, OfAnOlderVersionWhatChangedIsNamed) {
  const Value old = yaml_of("spec: {sandboxTemplateRef: {name: t}}");
  const Status checked = check_fields(Kind::kClaim, old);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().causes[0].field, "spec.sandboxTemplateRef");
  EXPECT_NE(checked.error().causes[0].message.find("warmPoolRef"), std::string::npos);
}

TEST(AgentSandboxClaim, SaysWhatItWasGiven) {
  contracts::Sandbox session;
  session.metadata.name = "c";
  SandboxClaim claim = claim_with(", lifecycle: {shutdownPolicy: DeleteForeground}");
  EXPECT_FALSE(is_bound(claim));
  claim.status = bound(session);
  EXPECT_TRUE(is_bound(claim));
  EXPECT_EQ(claim.status.sandbox->name, "c");
  EXPECT_TRUE(goes_with_its_session(claim));
  EXPECT_FALSE(goes_with_its_session(claim_with("")));
}

// The times of an object's conditions, as it is shown.
std::string times_of(Value object) {
  add_times(object);
  std::string out;
  for (const Value& each : *object.at("status.conditions")->array())
    out += cat(each.text("lastTransitionTime"), " ");
  return out;
}

TEST(AgentSandboxClaim, EachConditionHasATimeThatStays) {
  const wire::Timestamp made{WallTime{1'700'000'000'000}};
  SandboxClaim claim = claim_with("");
  claim.metadata.creation_timestamp = made;
  claim.status = unbound("TemplateNotFound", "none");
  EXPECT_EQ(times_of(wire::encode(claim)), "2023-11-14T22:13:20Z ");
  contracts::SandboxWarmPool pool;
  pool.metadata.creation_timestamp = made;
  pool.status = pool_status();
  EXPECT_EQ(times_of(wire::encode(pool)), "2023-11-14T22:13:20Z ");
}

TEST(AgentSandboxClaim, OneThatLosesItsSandboxIsNotReadySinceThen) {
  contracts::Sandbox session;
  session.metadata.creation_timestamp = wire::Timestamp{WallTime{1'700'000'000'000}};
  const WallTime ready{1'700'000'001'000};
  const WallTime now{1'700'000'100'000};
  EXPECT_EQ(lost(session, now).conditions.at(0).last_transition_time->value.ms, 1'700'000'000'000)
      << "it was not ready before either";
  session.status.phase = contracts::SandboxPhase::kReady;
  session.status.ready_at = wire::Timestamp{ready};
  const auto conditions = lost(session, now).conditions;
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(conditions[0].reason, "SandboxMissing");
  EXPECT_EQ(conditions[0].last_transition_time->value.ms, now.ms);
}

}  // namespace
}  // namespace paddock::agent_sandboxes
