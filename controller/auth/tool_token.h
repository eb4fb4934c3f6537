// What a tool token is good for. Pure. Denials carry the codes of contracts/denial_codes.h and, as
// facts, the endpoint and the operation that were tried.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/contracts/tool_token.h"
#include "controller/auth/principal.h"

namespace paddock::auth {

// Whether a bearer secret claims to be a tool token: then it is one, or nothing.
bool is_tool_secret(std::string_view secret);

// The holder of a token that is stored under the hash of what was sent. Unauthenticated:
// TOOL_TOKEN_INVALID for one that is unknown or revoked, TOOL_TOKEN_EXPIRED.
Result<Principal> authenticate_tool(const std::optional<contracts::ToolToken>& token, WallTime now);

// The run that a request is about: the token's own where it is about a project instead.
struct ToolTarget {
  std::string name_space;
  std::string run;
  std::optional<std::string> run_uid;       // of the stored run of that name; absent: there is none
  std::optional<std::string> project = {};  // asked for
  std::string run_project = {};             // of that run
};
// May the holder use a route that needs `use` (absent: a route that is not for tool tokens)?
// PermissionDenied: TOOL_ENDPOINT_DENIED, TOOL_OPERATION_DENIED, TOOL_RUN_DENIED; for media of a
// run that is gone, MEDIA_POLICY_UNAVAILABLE.
Status authorize_tool(const ToolAuthority& authority, const std::optional<contracts::ToolUse>& use,
                      const ToolTarget& target);

// A request through a run's tool gateway may do only what has a `use`, and only with the secret of
// a tool token. PermissionDenied TOOL_ENDPOINT_DENIED; Unauthenticated TOOL_TOKEN_MISSING, also for
// a secret that would be valid elsewhere: the gateway does not tell.
Status check_gateway(const std::optional<contracts::ToolUse>& use, std::string_view secret);
// Likewise, the token must be one of that run. PermissionDenied TOOL_RUN_DENIED.
Status check_gateway_run(const Principal& holder, const std::string& gateway_run);

// A caller with scopes can give only operations that those allow it. PermissionDenied
// (SCOPE_MISSING, NAMESPACE_DENIED).
Status check_operations(const Principal& maker, const contracts::ToolToken& token);

// A token that the holder of another makes can only do less, and not for longer. PermissionDenied
// (TOOL_TOKEN_NOT_NARROWER) with a cause per field.
Status check_narrower(const ToolAuthority& parent, const contracts::ToolToken& child);

}  // namespace paddock::auth
