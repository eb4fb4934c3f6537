#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "controller/auth/denial_codes.h"
#include "controller/auth/principal.h"

namespace paddock::auth {
namespace {

// Whether the holder of a scope may give it to others, and how far such a gift reaches.
enum class Given { kNever, kInNamespace, kInCluster };

struct Row {
  Scope scope;
  std::string_view name;
  Given given = Given::kNever;
};
constexpr std::array kRows = {
    Row{Scope::kPublic, "public"},
    Row{Scope::kAuthenticated, "authenticated"},
    Row{Scope::kRunsRead, "runs:read", Given::kInNamespace},
    Row{Scope::kRunsWrite, "runs:write", Given::kInNamespace},
    Row{Scope::kExecute, "execute", Given::kInCluster},
    Row{Scope::kWorkspacesRead, "workspaces:read", Given::kInNamespace},
    Row{Scope::kWorkspacesWrite, "workspaces:write", Given::kInNamespace},
    Row{Scope::kNodesRead, "nodes:read", Given::kInCluster},
    Row{Scope::kNodesWrite, "nodes:write", Given::kInCluster},
    Row{Scope::kNodeEnroll, "nodes:enroll"},
    Row{Scope::kNodeSelf, "node:self"},
    Row{Scope::kGrantsRead, "grants:read", Given::kInNamespace},
    Row{Scope::kGrantsWrite, "grants:write", Given::kInNamespace},
    Row{Scope::kSecretsRead, "secrets:read", Given::kInNamespace},
    Row{Scope::kSecretsWrite, "secrets:write", Given::kInNamespace},
    Row{Scope::kSecretsUse, "secrets:use", Given::kInNamespace},
    Row{Scope::kAuditRead, "audit:read", Given::kInNamespace},
    Row{Scope::kMetricsRead, "metrics:read", Given::kInCluster},
    Row{Scope::kAdmin, "admin", Given::kInCluster},
};

bool carries(const Principal& principal, std::string_view scope) {
  return std::ranges::find(principal.scopes, scope) != principal.scopes.end();
}

bool may(const Principal& principal, Scope scope) {
  if (carries(principal, "*") || carries(principal, scope_name(scope))) return true;
  return scope == Scope::kExecute && carries(principal, scope_name(Scope::kRunsWrite));
}

Error denied(Reason reason, std::string message) {
  return {Code::kPermissionDenied, reason, std::move(message)};
}

// A node's routes belong to that node alone: `*` does not make an administrator a node.
Status authorize_node(const Principal& principal, std::string_view node_name) {
  if (!carries(principal, scope_name(Scope::kNodeSelf))) {
    return denied("SCOPE_MISSING", "this route takes a node's own credential (scope node:self)");
  }
  if (node_name.empty() || principal.subject != cat("node:", node_name)) {
    return denied("NODE_MISMATCH",
                  "this credential belongs to another node than the one in the path");
  }
  return {};
}

// A token that was made for one node enrols that one.
Status authorize_enrolment(const Principal& principal, std::string_view node_name) {
  const std::string_view made_for = enrolled_node(principal.subject);
  if (made_for.empty() || made_for == node_name) return {};
  return denied(kEnrollTokenOtherNode,
                cat("this enrolment token is for the node ", made_for, ": join with --name ",
                    made_for, ", or make one for the other name: paddock node token NAME"));
}

std::string known_scopes() {
  std::vector<std::string> names = {"*"};
  for (const Row& row : kRows)
    if (row.given != Given::kNever) names.emplace_back(row.name);
  return cat("known: ", join(names, ", "));
}

}  // namespace

std::string_view enrolled_node(std::string_view subject) {
  constexpr std::string_view kPrefix = "enroll:";
  return subject.starts_with(kPrefix) ? subject.substr(kPrefix.size()) : std::string_view();
}

Error enroll_token_over(Reason reason, std::string_view node) {
  const std::string remedy = cat("make another one: paddock node token ", node);
  if (reason == kEnrollTokenExpired)
    return denied(reason, cat("this enrolment token's time is over; ", remedy));
  return denied(
      reason, cat("this enrolment token is good for one host and was used, or withdrawn; if not by "
                  "you, paddock delete node ",
                  node, "; then ", remedy));
}

std::string_view scope_name(Scope scope) {
  for (const Row& row : kRows) {
    if (row.scope == scope) return row.name;
  }
  return "";
}

Status check_scopes(const std::vector<std::string>& scopes, std::string_view name_space) {
  for (size_t i = 0; i < scopes.size(); ++i) {
    if (scopes[i] == "*") continue;
    const std::string field = cat("scopes[", i, "]");
    const auto row = std::ranges::find(kRows, std::string_view(scopes[i]), &Row::name);
    if (row == kRows.end() || row->given == Given::kNever)
      return invalid_argument("SCOPE_UNKNOWN",
                              cat("there is no scope `", scopes[i], "` to give; ", known_scopes()),
                              field);
    if (row->given == Given::kInCluster && !name_space.empty())
      return invalid_argument(
          "SCOPE_OF_CLUSTER",
          cat(scopes[i], " is of no use in one namespace: leave the scope or the namespace out"),
          field);
  }
  return {};
}

Status check_giver(const Principal& giver, const std::vector<std::string>& scopes) {
  if (giver.name_space.empty() && carries(giver, "*")) return {};
  for (const std::string& scope : scopes) {
    if (scope != scope_name(Scope::kAdmin) && carries(giver, scope)) continue;
    return denied(
        "SCOPE_NOT_YOURS",
        cat("only a caller with the scope * can make or end a token with the scope ", scope));
  }
  return {};
}

Status authorize(const Principal& principal, Scope scope, std::string_view name_space,
                 std::string_view node_name) {
  if (scope == Scope::kPublic) return {};
  if (principal.token_id.empty()) {
    return Error{Code::kUnauthenticated, "TOKEN_MISSING",
                 "a bearer token is needed (Authorization: Bearer …)"};
  }
  if (!principal.over.empty())
    return enroll_token_over(principal.over, enrolled_node(principal.subject));
  if (principal.tool) {
    return denied(kToolEndpointDenied, "a tool token is good for routes of its run only");
  }
  if (scope == Scope::kAuthenticated) return {};
  if (scope == Scope::kNodeSelf) return authorize_node(principal, node_name);
  if (!may(principal, scope)) {
    return denied("SCOPE_MISSING", cat("this token lacks the scope ", scope_name(scope)));
  }
  if (!principal.name_space.empty() && principal.name_space != name_space) {
    return denied("NAMESPACE_DENIED",
                  cat("this token is limited to the namespace ", principal.name_space));
  }
  if (scope == Scope::kNodeEnroll) return authorize_enrolment(principal, node_name);
  return {};
}

}  // namespace paddock::auth
