// The resources this server has, by the names that Kubernetes clients use, and only with the verbs
// that work. Pure data.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "common/contracts/kinds.h"

namespace paddock::k8s {

using Verbs = std::array<std::string_view, 8>;
inline constexpr Verbs kAllVerbs = {"create", "delete", "deletecollection", "get",
                                    "list",   "patch",  "update",           "watch"};

struct Resource {
  std::string_view plural;
  std::string_view singular;
  std::string_view short_name;
  std::string_view kind;
  bool namespaced = true;
  Verbs verbs;                   // unused ones are empty
  const char* description = "";  // for `kubectl explain`
  std::string_view group = contracts::kGroup;
  std::string_view version = contracts::kVersion;
};

constexpr Resource own_resource(std::string_view kind, const Verbs& verbs,
                                const char* description) {
  const contracts::KindNames& names = contracts::kind_names(kind);
  return {names.plural,     names.singular, names.short_name, kind,
          names.namespaced, verbs,          description};
}

inline constexpr std::array kResources = {
    own_resource(contracts::Run::kKind, kAllVerbs,
                 "One execution of a command in a sandbox on a node."),
    own_resource(contracts::Workspace::kKind, kAllVerbs,
                 "The files that runs read, addressed by their content."),
    own_resource(contracts::Volume::kKind,
                 {"delete", "deletecollection", "get", "list", "patch", "update", "watch"},
                 "Files that runs published and other runs read; each publish makes a version."),
    own_resource(
        contracts::ToolToken::kKind, kAllVerbs,
        "A credential of one run, for the operations that it names; its secret is shown once."),
    own_resource(
        contracts::Sandbox::kKind, kAllVerbs,
        "A session: commands one after another on files of their own, under one fixed policy."),
    own_resource(contracts::Grant::kKind, kAllVerbs,
                 "What a caller or a run may use: media, accelerators, cores, memory and time."),
    own_resource(contracts::Secret::kKind, kAllVerbs,
                 "Values that runs get; written by callers and never shown again."),
    own_resource(contracts::Node::kKind, {"delete", "get", "list", "patch", "update", "watch"},
                 "A host that executes runs, and what its sandbox has proven."),
};
static_assert(kResources.size() == contracts::kKindNames.size());

// The kinds of the project agent-sandbox. Its Sandbox is our session, shown as another kind.
inline constexpr std::array<Resource, 1> kAgentResources = {{
    {"sandboxes", "sandbox", "", "Sandbox", true, kAllVerbs,
     "A session as a Sandbox of agents.x-k8s.io; a field that it has no meaning for is refused.",
     contracts::kAgentsGroup, contracts::kAgentsVersion},
}};
inline constexpr std::array<Resource, 3> kAgentExtensionResources = {{
    {"sandboxtemplates", "sandboxtemplate", "", "SandboxTemplate", true, kAllVerbs,
     "What the Sandbox of a claim is made of.", contracts::kAgentExtensionsGroup,
     contracts::kAgentsVersion},
    {"sandboxwarmpools", "sandboxwarmpool", "swp", "SandboxWarmPool", true, kAllVerbs,
     "A name for a template, by which claims ask. It holds no sandbox: each is made on demand.",
     contracts::kAgentExtensionsGroup, contracts::kAgentsVersion},
    {"sandboxclaims", "sandboxclaim", "", "SandboxClaim", true, kAllVerbs,
     "Asks for a Sandbox of a template, and has the same name.", contracts::kAgentExtensionsGroup,
     contracts::kAgentsVersion},
}};

// The groups whose objects can be written, each of one version.
inline constexpr std::array<std::span<const Resource>, 3> kResourceGroups = {
    std::span<const Resource>(kResources), std::span<const Resource>(kAgentResources),
    std::span<const Resource>(kAgentExtensionResources)};

// The row of a kind that has one, as it is stored.
constexpr const Resource& resource_of(std::string_view kind) {
  for (const std::span<const Resource> group : kResourceGroups) {
    for (const Resource& each : group) {
      if (each.kind == kind) return each;
    }
  }
  return kResources[0];
}

}  // namespace paddock::k8s
