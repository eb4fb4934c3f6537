// The resources this server has, by the names that Kubernetes clients use, and only with the verbs
// that work. Pure data.
#pragma once

#include <array>
#include <string_view>

namespace paddock::k8s {

struct Resource {
  std::string_view plural;
  std::string_view singular;
  std::string_view short_name;
  std::string_view kind;
  bool namespaced = true;
  std::array<std::string_view, 8> verbs;  // unused ones are empty
  const char* description = "";           // for `kubectl explain`
};

inline constexpr std::array<Resource, 8> kResources = {{
    {"runs",
     "run",
     "rn",
     "Run",
     true,
     {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
     "One execution of a command in a sandbox on a node."},
    {"workspaces",
     "workspace",
     "ws",
     "Workspace",
     true,
     {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
     "The files that runs read, addressed by their content."},
    {"volumes",
     "volume",
     "vol",
     "Volume",
     true,
     {"delete", "deletecollection", "get", "list", "patch", "update", "watch"},
     "Files that runs published and other runs read; each publish makes a version."},
    {"tooltokens",
     "tooltoken",
     "tt",
     "ToolToken",
     true,
     {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
     "A credential of one run, for the operations that it names; its secret is shown once."},
    {"sandboxes",
     "sandbox",
     "sb",
     "Sandbox",
     true,
     {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
     "A session: commands one after another on files of their own, under one fixed policy."},
    {"grants",
     "grant",
     "gr",
     "Grant",
     true,
     {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
     "What a caller or a run may use: media, accelerators, cores, memory and time."},
    {"secrets",
     "secret",
     "sec",
     "Secret",
     true,
     {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
     "Values that runs get; written by callers and never shown again."},
    {"nodes",
     "node",
     "no",
     "Node",
     false,
     {"delete", "get", "list", "patch", "update", "watch"},
     "A host that executes runs, and what its sandbox has proven."},
}};

// The row of a kind that has one.
constexpr const Resource& resource_of(std::string_view kind) {
  for (const Resource& each : kResources) {
    if (each.kind == kind) return each;
  }
  return kResources[0];
}

}  // namespace paddock::k8s
