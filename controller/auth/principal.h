// Who calls, and what a route needs. Pure: the decision is a function of values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/contracts/tool_token.h"

namespace paddock::auth {

// What a route needs. A token carries a list of these by name (`runs:write`), or `*`.
enum class Scope {
  kPublic,         // no token: health only
  kAuthenticated,  // any valid token: version, discovery
  kRunsRead,
  kRunsWrite,
  kExecute,  // POST /execute alone; who may create runs may do that too
  kWorkspacesRead,
  kWorkspacesWrite,
  kNodesRead,
  kNodesWrite,
  kNodeEnroll,  // enrolment tokens
  kNodeSelf,    // a node's own credential; the node in the path must be itself
  kGrantsRead,
  kGrantsWrite,
  kSecretsRead,  // names and sizes: nothing reads a value
  kSecretsWrite,
  kSecretsUse,  // by runs of the namespace
  kAuditRead,
  kMetricsRead,
  kAdmin,
};

// What the holder of a tool token may do: these operations at these endpoints of this run.
struct ToolAuthority {
  std::string name_space;
  std::string token;  // its name
  std::string run;
  std::string run_uid;
  std::vector<std::string> endpoints;
  std::vector<std::string> operations;
  WallTime expires{};
};

struct Principal {
  std::string subject;  // "anonymous", "admin", "node:laptop"
  std::vector<std::string> scopes;
  std::string name_space;  // not empty: nothing outside this namespace
  std::string token_id;
  std::optional<ToolAuthority> tool = {};  // of a tool token, which has no scopes at all
  // Why an enrolment token is over, as a code. Its holder is known and may do nothing. Empty for
  // all others.
  Reason over = {};
};

std::string_view scope_name(Scope scope);

// May an operator give a token these scopes, in this namespace (empty: everywhere)? `*` is all of
// them. SCOPE_UNKNOWN names those that there are; SCOPE_OF_CLUSTER: useless in one namespace.
Status check_scopes(const std::vector<std::string>& scopes, std::string_view name_space);

// May `giver` make or end a token with these scopes? Only who has them: `*` has all, and only `*`
// gives `*` and `admin`. SCOPE_NOT_YOURS.
Status check_giver(const Principal& giver, const std::vector<std::string>& scopes);

inline constexpr Reason kEnrollTokenSpent = "ENROLL_TOKEN_SPENT";
inline constexpr Reason kEnrollTokenExpired = "ENROLL_TOKEN_EXPIRED";
inline constexpr Reason kEnrollTokenOtherNode = "ENROLL_TOKEN_OTHER_NODE";

// An enrolment token for one node has the subject `enroll:NAME`. The name, or empty for others.
std::string_view enrolled_node(std::string_view subject);
// The refusal of an enrolment token: ENROLL_TOKEN_SPENT, ENROLL_TOKEN_EXPIRED.
Error enroll_token_over(Reason reason, std::string_view node);

// May `principal` use a route that needs `scope`, on an object in `name_space` (empty: cluster) or,
// for kNodeSelf, on the node `node_name`? Unauthenticated or PermissionDenied (SCOPE_MISSING,
// NAMESPACE_DENIED, NODE_MISMATCH, ENROLL_TOKEN_…) otherwise; the message names the scope that
// would do. The holder of a tool token may use none by this: authorize_tool() decides there.
Status authorize(const Principal& principal, Scope scope, std::string_view name_space,
                 std::string_view node_name);

}  // namespace paddock::auth
