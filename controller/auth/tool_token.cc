#include "controller/auth/tool_token.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/auth/denial_codes.h"

namespace paddock::auth {
namespace {

using contracts::ToolToken;
using contracts::ToolTokenPhase;
using contracts::ToolUse;

Error not_authenticated(Reason reason, std::string message) {
  return {Code::kUnauthenticated, reason, std::move(message)};
}

Error denied(Reason reason, std::string message, const ToolUse& use) {
  Error error{Code::kPermissionDenied, reason, std::move(message)};
  error.facts = {{"endpoint", std::string(use.endpoint)},
                 {"operation", std::string(use.operation)}};
  return error;
}

bool has(const std::vector<std::string>& all, std::string_view one) {
  return std::ranges::find(all, one) != all.end();
}

// The fields in which `child` has what `parent` has not.
void find_wider(const std::vector<std::string>& parent, const std::vector<std::string>& child,
                const char* field, std::vector<Cause>& out) {
  for (size_t i = 0; i < child.size(); ++i) {
    if (has(parent, child[i])) continue;
    out.push_back({cat(field, "[", i, "]"), cat("\"", child[i], "\" is not the token's own")});
  }
}

}  // namespace

bool is_tool_secret(std::string_view secret) {
  return secret.starts_with(cat(contracts::kToolTokenPrefix, "_"));
}

Result<Principal> authenticate_tool(const std::optional<ToolToken>& token, WallTime now) {
  if (!token) return not_authenticated(kToolTokenInvalid, "this tool token is not known here");
  const contracts::ToolTokenStatus status = contracts::status_at(token->status, now);
  if (status.phase == ToolTokenPhase::kRevoked) {
    const auto why = status.reason.value_or(contracts::RevokeReason::kManual);
    return not_authenticated(kToolTokenInvalid,
                             cat("this tool token was revoked (", wire::enum_name(why), ")"));
  }
  if (status.phase == ToolTokenPhase::kExpired)
    return not_authenticated(kToolTokenExpired, "this tool token has expired");
  Principal principal;
  principal.subject = cat("tool-token:", token->metadata.name_space, "/", token->metadata.name);
  principal.name_space = token->metadata.name_space;
  principal.token_id = token->metadata.uid;
  principal.tool = ToolAuthority{
      token->metadata.name_space, token->metadata.name,   token->spec.run,         status.run_uid,
      token->spec.endpoints,      token->spec.operations, status.expires_at->value};
  return principal;
}

Status authorize_tool(const ToolAuthority& authority, const std::optional<ToolUse>& use,
                      const ToolTarget& target) {
  if (!use) {
    return denied(kToolEndpointDenied, "a tool token is good for routes of its run only", {});
  }
  if (!has(authority.endpoints, use->endpoint)) {
    return denied(kToolEndpointDenied,
                  cat("this tool token does not reach the endpoint ", use->endpoint), *use);
  }
  if (!has(authority.operations, use->operation)) {
    return denied(kToolOperationDenied,
                  cat("this tool token does not allow the operation ", use->operation), *use);
  }
  if (authority.name_space != target.name_space || authority.run != target.run) {
    Error error = denied(kToolRunDenied, "this tool token belongs to another run", *use);
    error.facts.emplace_back("suppliedRun", target.run);
    return error;
  }
  if (target.project && target.project != target.run_project) {
    Error error = denied(kToolRunDenied, "this tool token belongs to another project", *use);
    error.facts.emplace_back("suppliedProjectId", *target.project);
    return error;
  }
  if (target.run_uid == authority.run_uid) return {};
  if (*use == contracts::kGenerateMedia) {
    return denied(kMediaPolicyUnavailable, "the media policy of this run cannot be resolved", *use);
  }
  return denied(kToolRunDenied, "the run of this tool token is gone", *use);
}

Status check_gateway(const std::optional<ToolUse>& use, std::string_view secret) {
  if (!use)
    return denied(kToolEndpointDenied, "this way leads to the routes of a run's tool token only",
                  {});
  if (is_tool_secret(secret)) return {};
  return not_authenticated(kToolTokenMissing,
                           "this way takes a tool token of the run (Authorization: Bearer pdtt_…)");
}

Status check_gateway_run(const Principal& holder, const std::string& gateway_run) {
  if (holder.tool && holder.tool->run_uid == gateway_run) return {};
  return denied(kToolRunDenied, "this way takes tool tokens of its own run only", {});
}

Status check_operations(const Principal& maker, const ToolToken& token) {
  for (const std::string& operation : token.spec.operations) {
    const Scope needed = operation == contracts::kReadProject.operation ? Scope::kWorkspacesRead
                         : operation.ends_with(":read")                 ? Scope::kRunsRead
                                                                        : Scope::kRunsWrite;
    TRY(authorize(maker, needed, token.metadata.name_space, ""));
  }
  return {};
}

Status check_narrower(const ToolAuthority& parent, const ToolToken& child) {
  std::vector<Cause> causes;
  find_wider(parent.operations, child.spec.operations, "operations", causes);
  find_wider(parent.endpoints, child.spec.endpoints, "endpoints", causes);
  if (child.status.run_uid != parent.run_uid)
    causes.push_back({"run", "must be the run of the token that makes it"});
  if (!child.status.expires_at || child.status.expires_at->value > parent.expires)
    causes.push_back({"ttl", "must end no later than the token that makes it"});
  if (causes.empty()) return {};
  return Error{
      Code::kPermissionDenied, kToolTokenNotNarrower,
      cat("a tool token can make narrower ones only: ", causes[0].field, ": ", causes[0].message),
      causes};
}

}  // namespace paddock::auth
