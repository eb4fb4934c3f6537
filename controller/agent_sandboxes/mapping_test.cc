#include "controller/agent_sandboxes/mapping.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "common/wire/yaml.h"
#include "controller/agent_sandboxes/command.h"
#include "controller/agent_sandboxes/fields.h"

namespace paddock::agent_sandboxes {
namespace {

using contracts::Sandbox;
using wire::Value;

Value yaml(std::string_view text) { return wire::parse_yaml(text).value(); }

// A Sandbox with these lines in its container and in its spec.
Value document(std::string_view container = "", std::string_view spec = "") {
  std::string text = "spec: {podTemplate: {spec: {containers: [{name: c, image: paddock/session";
  if (!container.empty()) text += cat(", ", container);
  text += "}]}}";
  if (!spec.empty()) text += cat(", ", spec);
  return yaml(text + "}");
}

Result<contracts::SandboxSpec> mapped(const Value& whole, const Images& images = default_images()) {
  TRY(check_fields(Kind::kSandbox, whole));
  return session_spec(*whole.find("spec"), images, contracts::builtin_profiles());
}

// The field of the first refusal, or "".
std::string refused(const Value& whole) {
  const auto made = mapped(whole);
  if (made.ok()) return "";
  EXPECT_EQ(made.error().code, Code::kFailedPrecondition) << made.error().describe();
  return made.error().causes.empty() ? "?" : made.error().causes[0].field;
}

TEST(AgentSandbox, WhatMapsIsServed) {
  const auto spec =
      mapped(document("resources: {limits: {memory: 512Mi, ephemeral-storage: 1Gi}, requests: "
                      "{memory: 64Mi}}, env: [{name: A, value: b}], "
                      "imagePullPolicy: Never, securityContext: {allowPrivilegeEscalation: false}",
                      "operatingMode: Suspended"));
  ASSERT_TRUE(spec.ok()) << spec.error().describe();
  EXPECT_EQ(spec->security.limits.memory_bytes, int64_t{512} << 20);
  EXPECT_EQ(spec->security.limits.fs_bytes, int64_t{1} << 30);
  EXPECT_EQ(spec->security.env.at("A"), "b");
  EXPECT_EQ(spec->suspended, true);
  EXPECT_EQ(spec->lifetime->value, contracts::kLongestLifetime);
  EXPECT_EQ(spec->idle_timeout->value, contracts::kLongestLifetime);
  EXPECT_FALSE(spec->security.network.enabled);
}

TEST(AgentSandbox, WhatDoesNotMapIsRefusedByItsField) {
  const std::string container = "spec.podTemplate.spec.containers[0]";
  EXPECT_EQ(refused(document("ports: [{containerPort: 1}]")), container + ".ports");
  EXPECT_EQ(refused(document("volumeMounts: [{name: v, mountPath: /v}]")),
            container + ".volumeMounts");
  EXPECT_EQ(refused(document("envFrom: [{secretRef: {name: s}}]")), container + ".envFrom");
  EXPECT_EQ(refused(document("env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]")),
            container + ".env[0].valueFrom");
  EXPECT_EQ(refused(document("resources: {limits: {cpu: 2}}")),
            container + ".resources.limits.cpu");
  EXPECT_EQ(refused(document("securityContext: {privileged: true}")),
            container + ".securityContext.privileged");
  EXPECT_EQ(refused(document("command: [python3, server.py]")), container + ".command");
  EXPECT_EQ(refused(document("", "volumeClaimTemplates: [{metadata: {name: v}, spec: {}}]")),
            "spec.volumeClaimTemplates");
  EXPECT_EQ(refused(document("", "service: true")), "spec.service");
  EXPECT_EQ(refused(document("", "noSuchField: 1")), "spec.noSuchField");
  EXPECT_EQ(refused(yaml("spec: {podTemplate: {spec: {containers: [{name: c, image: nginx}]}}}")),
            container + ".image");
  EXPECT_EQ(refused(yaml("spec: {podTemplate: {spec: {hostNetwork: true, containers: [{name: c, "
                         "image: paddock/session}]}}}")),
            "spec.podTemplate.spec.hostNetwork");
}

TEST(AgentSandbox, AFilterOfSystemCallsIsThereAndNoOtherOneIsTaken) {
  const auto pod = [](const std::string& context) {
    return yaml(cat("spec: {podTemplate: {spec: {securityContext: ", context,
                    ", containers: [{name: c, image: paddock/session, securityContext: ", context,
                    "}]}}}"));
  };
  EXPECT_EQ(refused(pod("{seccompProfile: {type: RuntimeDefault}}")), "");
  const std::string place = "spec.podTemplate.spec.securityContext.seccompProfile";
  for (const char* type : {"Unconfined", "Localhost"}) {
    EXPECT_EQ(refused(pod(cat("{seccompProfile: {type: ", type, "}}"))), place + ".type");
  }
  EXPECT_EQ(refused(pod("{seccompProfile: {}}")), place + ".type");
  EXPECT_EQ(refused(pod("{seccompProfile: {type: RuntimeDefault, localhostProfile: x}}")),
            place + ".localhostProfile");
}

TEST(AgentSandbox, HostileDocumentsAreRefusedAndNotFollowed) {
  for (const char* text :
       {"[]", "spec: []", "spec: {}", "spec: {podTemplate: x}", "spec: {podTemplate: {spec: {}}}",
        "spec: {podTemplate: {spec: {containers: []}}}",
        "spec: {podTemplate: {spec: {containers: x}}}",
        "spec: {podTemplate: {spec: {containers: [x]}}}",
        "spec: {podTemplate: {spec: {containers: [{name: 1, image: 2}]}}}"}) {
    const Status checked = check_fields(Kind::kSandbox, yaml(text));
    EXPECT_FALSE(checked.ok()) << text;
  }
  const std::string container = "spec.podTemplate.spec.containers[0]";
  EXPECT_EQ(refused(document(cat("args: [", std::string(70'000, 'x'), "]"))), "spec");
  EXPECT_EQ(refused(document("resources: {limits: {memory: -1}}")),
            container + ".resources.limits.memory");
  EXPECT_EQ(refused(document("resources: {limits: {memory: 1k}}")),
            container + ".resources.limits.memory");
  EXPECT_EQ(refused(document("resources: {limits: {memory: 99999999999999999999Ti}}")),
            container + ".resources.limits.memory");
  EXPECT_EQ(refused(document("resources: {requests: {memory: 1Ti}}")),
            container + ".resources.requests.memory");
  EXPECT_EQ(refused(document("env: [{name: LD_PRELOAD, value: /x}, {name: A}, {name: A}]")),
            container + ".env[2].name");
  EXPECT_EQ(refused(document("env: [{name: 'a=b', value: x}]")).substr(0, container.size() + 4),
            container + ".env");
  EXPECT_EQ(refused(yaml("spec: {podTemplate: {spec: {containers: [{name: a, image: "
                         "paddock/session}, {name: b, image: paddock/session}]}}}")),
            "spec.podTemplate.spec.containers");
  EXPECT_EQ(refused(document("", "shutdownTime: tomorrow")), "spec.shutdownTime");
}

// Puts `value` at a path of the table, in the first element of each list on the way.
void put(Value& at, std::string_view path, const Value& value) {
  if (path.empty()) {
    at = value;
    return;
  }
  const size_t dot = path.find('.');
  std::string name(path.substr(0, dot));
  const std::string_view rest = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  const bool list = name.ends_with("[]");
  if (list) name.resize(name.size() - 2);
  if (at.object() == nullptr) at = Value::Object{};
  if (at.find(name) == nullptr) at.set(name, Value());
  Value* next = at.find(name);
  if (list) {
    if (next->array() == nullptr || next->array()->empty()) *next = Value::Array{Value()};
    next = &next->array()->front();
  }
  put(*next, rest, value);
}

TEST(AgentSandbox, AnyValueInAnyFieldIsServedOrRefusedByAName) {
  const std::vector<Value> values = {Value(),
                                     Value::Array{},
                                     Value::Object{},
                                     Value(true),
                                     Value(int64_t{-1}),
                                     Value(0.5),
                                     Value(""),
                                     Value(std::string("x")),
                                     Value::Array{Value()},
                                     Value::Array{Value::Array{}},
                                     Value::Object{{"x", Value()}}};
  for (const FieldRow& row : fields_of(Kind::kSandbox)) {
    for (const Value& value : values) {
      Value whole = document();
      put(*whole.find("spec"), row.path, value);
      const auto made = mapped(whole);
      if (made.ok()) continue;
      EXPECT_EQ(made.error().code, Code::kFailedPrecondition) << wire::to_json(whole);
      EXPECT_FALSE(made.error().causes.empty()) << wire::to_json(whole);
    }
  }
  EXPECT_EQ(refused(document("resources: {limits: {memory: []}}")),
            "spec.podTemplate.spec.containers[0].resources.limits.memory");
  EXPECT_EQ(refused(document("", "operatingMode: []")), "spec.operatingMode");
}

TEST(AgentSandbox, AnImageIsTheProfileThatTheOperatorSays) {
  const Images images = {{"python:3.11-slim", "compute"}, {"paddock/session", "session"}};
  Value whole =
      yaml("spec: {podTemplate: {spec: {containers: [{name: c, image: 'python:3.11-slim'}]}}}");
  const auto spec = mapped(whole, images);
  ASSERT_TRUE(spec.ok()) << spec.error().describe();
  const auto& compute = contracts::builtin_profiles().at("compute").policy;
  ASSERT_TRUE(compute.limits.memory);
  EXPECT_EQ(spec->security.limits.memory_bytes, compute.limits.memory->bytes);
  const auto unknown = mapped(whole);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().reason, "IMAGE_NOT_SERVED");
  EXPECT_NE(unknown.error().message.find("paddock/session"), std::string::npos);
}

TEST(AgentSandbox, OnlyWhatKeepsAContainerAliveNeedsNoProcess) {
  const auto alone = [](const char* text) { return only_keeps_alive(yaml(text)); };
  EXPECT_TRUE(alone("{}"));
  EXPECT_TRUE(alone("command: [sleep, infinity]"));
  EXPECT_TRUE(alone("{command: [/bin/sh, -c], args: ['sleep 3600']}"));
  EXPECT_TRUE(alone("command: [bash, -c, 'while true; do sleep 30; done']"));
  EXPECT_TRUE(alone("command: [tail, -f, /dev/null]"));
  EXPECT_FALSE(alone("command: [sh, -c, 'echo hello; sleep 3600']"));
  EXPECT_FALSE(alone("command: [sh, -c, 'sleep $(rm -rf /)']"));
  EXPECT_FALSE(alone("args: [--port=1]"));
}

Sandbox session_of(const Value& whole) {
  Sandbox session;
  session.metadata.name = "s";
  session.metadata.creation_timestamp = wire::Timestamp{*parse_time("2026-01-02T03:04:05Z")};
  session.spec = mapped(whole).value();
  session.status.agent_sandbox = *whole.find("spec");
  return session;
}

TEST(AgentSandbox, ItsTimeIsItsOwnOrTheLongest) {
  const WallTime made = *parse_time("2026-01-02T03:04:05Z");
  EXPECT_EQ(end_of(yaml("{}"), made)->ms, (made + contracts::kLongestLifetime).ms);
  EXPECT_EQ(end_of(yaml("shutdownTime: '2026-01-02T04:04:05Z'"), made)->ms,
            parse_time("2026-01-02T04:04:05Z")->ms);
  const auto late = end_of(yaml("shutdownTime: '2027-01-02T04:04:05Z'"), made);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().causes[0].field, "spec.shutdownTime");
}

TEST(AgentSandbox, ItsSuspensionAndTimeChangeAndNothingElse) {
  const Sandbox live = session_of(document());
  const auto changed = [&](const Value& whole) { return changed_spec(live, *whole.find("spec")); };
  EXPECT_EQ(changed(document("", "operatingMode: Suspended"))->suspended, true);
  EXPECT_FALSE(changed(document("", "operatingMode: Running"))->suspended);
  EXPECT_TRUE(changed(document("", "shutdownTime: '2026-01-02T04:04:05Z'")).ok());
  EXPECT_TRUE(
      changed(yaml("spec: {operatingMode: Running, podTemplate: {spec: {containers: [{image: "
                   "paddock/session, name: c}]}}}"))
          .ok())
      << "whatever the order of its members";
  const auto other = changed(document("resources: {limits: {memory: 1Gi}}"));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().reason, "FIELD_IMMUTABLE");
  EXPECT_EQ(other.error().causes[0].field, "spec.podTemplate");
}

std::string state(const Sandbox& session, std::string_view type) {
  for (const auto& each : conditions_of(session))
    if (each.type == type) return cat(each.status, " ", each.reason);
  return "";
}

TEST(AgentSandbox, EachConditionHasATime) {
  Sandbox session = session_of(document());
  const wire::Timestamp made{WallTime{1'700'000'000'000}};
  const wire::Timestamp suspended{WallTime{1'700'000'060'000}};
  session.metadata.creation_timestamp = made;
  for (const auto& each : conditions_of(session))
    EXPECT_EQ(each.last_transition_time->value, made.value) << each.type;
  session.spec.suspended = true;
  session.metadata.managed_fields = {
      contracts::ManagedFields{.manager = "kubectl", .time = suspended}};
  for (const auto& each : conditions_of(session))
    EXPECT_EQ(each.last_transition_time->value, suspended.value) << each.type;
  session.status.phase = contracts::SandboxPhase::kEnded;
  session.status.ended_at = wire::Timestamp{WallTime{1'700'000'120'000}};
  for (const auto& each : conditions_of(session))
    EXPECT_TRUE(each.last_transition_time) << each.type;
}

TEST(AgentSandbox, ConditionsSayWhatIs) {
  Sandbox session = session_of(document());
  EXPECT_EQ(state(session, "Ready"), "False DependenciesNotReady");
  session.status.phase = contracts::SandboxPhase::kReady;
  EXPECT_EQ(state(session, "Ready"), "True DependenciesReady");
  EXPECT_EQ(state(session, "Suspended"), "False NotSuspended");
  EXPECT_EQ(state(session, "Finished"), "");
  session.status.conditions = {{contracts::kNodeTrouble, "True", "NODE_LOST", "it is away", {}}};
  EXPECT_EQ(state(session, "Ready"), "False DependenciesNotReady");
  EXPECT_EQ(conditions_of(session)[0].message, "it is away");
  session.spec.suspended = true;
  EXPECT_EQ(state(session, "Ready"), "False SandboxSuspended");
  EXPECT_EQ(state(session, "Suspended"), "True PodTerminated");
  EXPECT_EQ(document_of(session).text("spec.operatingMode"), "Suspended");
  session.status.phase = contracts::SandboxPhase::kEnded;
  session.status.reason = "LIFETIME_OVER";
  EXPECT_EQ(state(session, "Ready"), "False SandboxExpired");
  EXPECT_EQ(state(session, "Finished"), "True PodSucceeded");
  session.status.reason = "SESSION_LOST";
  EXPECT_EQ(state(session, "Finished"), "True PodFailed");
}

TEST(AgentSandbox, ASessionMadeWithoutADocumentIsOneThatCouldBeSent) {
  Sandbox session;
  session.spec = contracts::with_session_defaults({});
  const Value whole = document_of(session);
  EXPECT_TRUE(check_fields(Kind::kSandbox, whole).ok());
  const auto again =
      session_spec(*whole.find("spec"), default_images(), contracts::builtin_profiles());
  ASSERT_TRUE(again.ok()) << again.error().describe();
  EXPECT_EQ(again->security.limits.memory_bytes, session.spec.security.limits.memory_bytes);
}

TEST(AgentSandbox, TheSchemaHasEveryFieldOnce) {
  const Value schema = spec_schema(Kind::kSandbox);
  const Value* containers =
      schema.at("properties.podTemplate.properties.spec.properties.containers");
  ASSERT_NE(containers, nullptr);
  EXPECT_NE(containers->at("items.properties.image"), nullptr);
  EXPECT_NE(spec_schema(Kind::kClaim).at("properties.warmPoolRef.properties.name"), nullptr);
}

}  // namespace
}  // namespace paddock::agent_sandboxes
