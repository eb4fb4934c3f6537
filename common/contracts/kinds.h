// The kinds of objects, each once: their names, and the lists through which goes whatever is done
// for every kind.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "common/base/result.h"
#include "common/contracts/agent_sandbox.h"
#include "common/contracts/grant.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/secret.h"
#include "common/contracts/tool_token.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"

namespace paddock::contracts {

template <class... T>
struct KindList {
  // Calls `visit` with a std::type_identity of each kind.
  static void each(auto&& visit) { (visit(std::type_identity<T>()), ...); }
};

// Those of our own group, paddock.dev.
using OwnKinds = KindList<Run, Workspace, Volume, ToolToken, Sandbox, Grant, Secret, Node>;
// Those of other groups that are stored as they were written.
using AgentKinds = KindList<SandboxTemplate, SandboxWarmPool, SandboxClaim>;

// What people and URLs call a kind of our own.
struct KindNames {
  std::string_view kind;
  std::string_view plural;
  std::string_view singular;
  std::string_view short_name;
  bool namespaced = true;
};
inline constexpr std::array kKindNames = {
    KindNames{Run::kKind, "runs", "run", "rn"},
    KindNames{Workspace::kKind, "workspaces", "workspace", "ws"},
    KindNames{Volume::kKind, "volumes", "volume", "vol"},
    KindNames{ToolToken::kKind, "tooltokens", "tooltoken", "tt"},
    KindNames{Sandbox::kKind, "sandboxes", "sandbox", "sb"},
    KindNames{Grant::kKind, "grants", "grant", "gr"},
    KindNames{Secret::kKind, "secrets", "secret", "sec"},
    KindNames{Node::kKind, "nodes", "node", "no", false},
};
// Of a kind of our own.
constexpr const KindNames& kind_names(std::string_view kind) {
  for (const KindNames& each : kKindNames) {
    if (each.kind == kind) return each;
  }
  panic("a kind without names");
}

// The schema of a kind of our own; null for any other.
wire::Value kind_schema(std::string_view kind);

}  // namespace paddock::contracts
