// The kinds of the Kubernetes project agent-sandbox that this server stores beside sessions: what a
// template of a Sandbox is, a pool of them, and a claim to one. Their specs are kept as they were
// written, once controller/agent_sandboxes has found every field of them served.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

inline constexpr const char* kAgentsGroup = "agents.x-k8s.io";
inline constexpr const char* kAgentExtensionsGroup = "extensions.agents.x-k8s.io";
inline constexpr const char* kAgentsVersion = "v1beta1";
inline constexpr const char* kAgentsApiVersion = "agents.x-k8s.io/v1beta1";
inline constexpr const char* kAgentExtensionsApiVersion = "extensions.agents.x-k8s.io/v1beta1";

struct SandboxTemplate {
  static constexpr const char* kKind = "SandboxTemplate";
  std::string api_version = kAgentExtensionsApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  wire::Value spec = wire::Value::Object{};
  std::optional<wire::Value> status;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("apiVersion", &SandboxTemplate::api_version, "extensions.agents.x-k8s.io/v1beta1"),
        field("kind", &SandboxTemplate::kind, "SandboxTemplate"),
        field("metadata", &SandboxTemplate::metadata, "identity", {.required = true}),
        field("spec", &SandboxTemplate::spec, "what the sandbox of a claim is made from"),
        field("status", &SandboxTemplate::status, "none"));
  }
};

struct SandboxWarmPool {
  static constexpr const char* kKind = "SandboxWarmPool";
  std::string api_version = kAgentExtensionsApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  wire::Value spec = wire::Value::Object{};
  std::optional<wire::Value> status;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("apiVersion", &SandboxWarmPool::api_version, "extensions.agents.x-k8s.io/v1beta1"),
        field("kind", &SandboxWarmPool::kind, "SandboxWarmPool"),
        field("metadata", &SandboxWarmPool::metadata, "identity", {.required = true}),
        field("spec", &SandboxWarmPool::spec, "the template that the pool's name stands for"),
        field("status", &SandboxWarmPool::status, "what it holds"));
  }
};

struct ClaimedSandbox {
  std::string name;
  static constexpr auto describe(auto&& visit) {
    return visit(field("name", &ClaimedSandbox::name, "the Sandbox's name", {.omit_empty = true}));
  }
};

struct SandboxClaimStatus {
  std::vector<Condition> conditions;
  std::optional<ClaimedSandbox> sandbox;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("conditions", &SandboxClaimStatus::conditions,
              "Ready: whether commands can be run in its sandbox", {.omit_empty = true}),
        field("sandbox", &SandboxClaimStatus::sandbox, "the Sandbox that the claim was given"));
  }
};

struct SandboxClaim {
  static constexpr const char* kKind = "SandboxClaim";
  std::string api_version = kAgentExtensionsApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  wire::Value spec = wire::Value::Object{};
  SandboxClaimStatus status;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("apiVersion", &SandboxClaim::api_version, "extensions.agents.x-k8s.io/v1beta1"),
        field("kind", &SandboxClaim::kind, "SandboxClaim"),
        field("metadata", &SandboxClaim::metadata, "identity", {.required = true}),
        field("spec", &SandboxClaim::spec, "the pool or template that is wanted, and until when"),
        field("status", &SandboxClaim::status, "what the claim was given"));
  }
};

}  // namespace paddock::contracts
