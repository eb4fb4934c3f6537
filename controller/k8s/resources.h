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
  std::array<std::string_view, 5> verbs;  // unused ones are empty
};

inline constexpr std::array<Resource, 4> kResources = {{
    {"runs", "run", "rn", "Run", true, {"create", "delete", "get", "list", ""}},
    {"workspaces", "workspace", "ws", "Workspace", true, {"create", "delete", "get", "list", ""}},
    {"volumes", "volume", "vol", "Volume", true, {"delete", "get", "list", ""}},
    {"nodes", "node", "no", "Node", false, {"delete", "get", "list", ""}},
}};

}  // namespace paddock::k8s
