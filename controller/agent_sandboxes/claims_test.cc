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

}  // namespace
}  // namespace paddock::agent_sandboxes
