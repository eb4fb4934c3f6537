#include "controller/api/routes.h"

#include "common/base/text.h"
#include "controller/api/handlers/access/access_tokens.h"
#include "controller/api/handlers/access/grant_kind.h"
#include "controller/api/handlers/access/grants.h"
#include "controller/api/handlers/access/tool_token_kind.h"
#include "controller/api/handlers/access/tool_tokens.h"
#include "controller/api/handlers/agent_sandboxes/agent_sandboxes.h"
#include "controller/api/handlers/agent_sandboxes/sandbox_view.h"
#include "controller/api/handlers/agent_sandboxes/stored_kind.h"
#include "controller/api/handlers/calls/calls.h"
#include "controller/api/handlers/calls/execute.h"
#include "controller/api/handlers/e2b/e2b.h"
#include "controller/api/handlers/meta/audit_chain.h"
#include "controller/api/handlers/meta/audit_log.h"
#include "controller/api/handlers/meta/backups.h"
#include "controller/api/handlers/meta/dashboard.h"
#include "controller/api/handlers/meta/discovery.h"
#include "controller/api/handlers/meta/mcp.h"
#include "controller/api/handlers/nodes/enrollment.h"
#include "controller/api/handlers/nodes/node_kind.h"
#include "controller/api/handlers/nodes/node_operations.h"
#include "controller/api/handlers/nodes/nodes.h"
#include "controller/api/handlers/nodes/usage.h"
#include "controller/api/handlers/runs/artifacts.h"
#include "controller/api/handlers/runs/build.h"
#include "controller/api/handlers/runs/core_events.h"
#include "controller/api/handlers/runs/media.h"
#include "controller/api/handlers/runs/plan.h"
#include "controller/api/handlers/runs/pod_exec.h"
#include "controller/api/handlers/runs/pod_refusals.h"
#include "controller/api/handlers/runs/pods.h"
#include "controller/api/handlers/runs/policy.h"
#include "controller/api/handlers/runs/pool_reports.h"
#include "controller/api/handlers/runs/receipts.h"
#include "controller/api/handlers/runs/run_commands.h"
#include "controller/api/handlers/runs/run_files.h"
#include "controller/api/handlers/runs/run_input.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/handlers/runs/run_lists.h"
#include "controller/api/handlers/runs/run_output.h"
#include "controller/api/handlers/runs/run_signal.h"
#include "controller/api/handlers/runs/runs.h"
#include "controller/api/handlers/runs/tool_bundles.h"
#include "controller/api/handlers/runs/tool_results.h"
#include "controller/api/handlers/secrets/run_secrets.h"
#include "controller/api/handlers/secrets/secret_kind.h"
#include "controller/api/handlers/secrets/secrets.h"
#include "controller/api/handlers/sessions/sandbox_kind.h"
#include "controller/api/handlers/sessions/sandboxes.h"
#include "controller/api/handlers/workspaces/projects.h"
#include "controller/api/handlers/workspaces/volume_kind.h"
#include "controller/api/handlers/workspaces/workspace_kind.h"
#include "controller/api/handlers/workspaces/workspaces.h"
#include "controller/api/objects/changes.h"
#include "controller/api/objects/delete_collection.h"
#include "controller/api/objects/deletes.h"
#include "controller/api/objects/objects.h"
#include "controller/api/reviews.h"

namespace paddock::api {

using auth::Scope;
using contracts::Grant;
using contracts::Node;
using contracts::Run;
using contracts::Sandbox;
using contracts::Secret;
using contracts::ToolToken;
using contracts::Volume;
using contracts::Workspace;

#define A "/apis/paddock.dev/v1alpha1"
#define RUNS A "/namespaces/{ns}/runs"
#define WORKSPACES A "/namespaces/{ns}/workspaces"
#define VOLUMES A "/namespaces/{ns}/volumes"
#define GRANTS A "/namespaces/{ns}/grants"
#define TOOL_TOKENS A "/namespaces/{ns}/tooltokens"
#define SECRETS A "/namespaces/{ns}/secrets"
#define SANDBOXES A "/namespaces/{ns}/sandboxes"
#define AGENTS "/apis/agents.x-k8s.io/v1beta1"
#define AGENT_EXTENSIONS "/apis/extensions.agents.x-k8s.io/v1beta1"
#define EXTENSION(PLURAL) AGENT_EXTENSIONS "/namespaces/{ns}" PLURAL
#define AGENT_SANDBOXES AGENTS "/namespaces/{ns}/sandboxes"
#define NODE A "/nodes/{node}"
#define METRICS "/apis/metrics.k8s.io/v1beta1"

namespace {

// A route that reads objects, for whoever has the scope that their kind names. What is shown of
// some is more than is stored: they are the leader's.
template <class View>
constexpr Route reads(const char* pattern, Endpoint run, std::optional<contracts::ToolUse> tool) {
  using Traits = KindTraits<typename View::Stored>;
  if constexpr (Traits::kOfStoreAlone) {
    return {"GET", pattern, Traits::kReadScope, kNoBody, from_store(run), tool};
  } else {
    return {"GET", pattern, Traits::kReadScope, kNoBody, run, tool};
  }
}
template <class View>
constexpr Route lists(const char* pattern) {
  return reads<View>(pattern, list_objects<View>, std::nullopt);
}
template <class View>
constexpr Route gets(const char* pattern, std::optional<contracts::ToolUse> tool = std::nullopt) {
  return reads<View>(pattern, get_object<View>, tool);
}

}  // namespace

// What every kind has: reading it (one, a page, a watch) and changing it.
#define READ_ROUTES(KIND, ALL, ONE) lists<Itself<KIND>>(ALL), gets<Itself<KIND>>(ONE)
#define CHANGE_ROUTES(KIND, ONE, WRITE)                                 \
  {"PUT", ONE, WRITE, kChangeDocument, can_try(change_object<KIND>)}, { \
    "PATCH", ONE, WRITE, kChangeDocument, can_try(change_object<KIND>)  \
  }
// The status is the controller's; what it lets others write, administrators write.
#define STATUS_ROUTES(KIND, ONE)                                                              \
  gets<Itself<KIND>>(ONE "/status"),                                                          \
      {"PUT", ONE "/status", Scope::kAdmin, kChangeDocument, can_try(change_status<KIND>)}, { \
    "PATCH", ONE "/status", Scope::kAdmin, kChangeDocument, can_try(change_status<KIND>)      \
  }

namespace {

using Routes = std::vector<Route>;

// clang-format off
Routes server_routes() {
  return {
      // Health. /health and /healthz are the names that other tools ask for.
      {"GET", "/livez",   Scope::kPublic, kNoBody, livez},
      {"GET", "/readyz",  Scope::kPublic, kNoBody, readyz},
      {"GET", "/healthz", Scope::kPublic, kNoBody, readyz},
      {"GET", "/health",  Scope::kPublic, kNoBody, readyz},
      {"GET", "/status",  Scope::kAuthenticated, kNoBody, server_status},
      {"GET", "/version", Scope::kAuthenticated, kNoBody, from_store(version)},
      {"GET", "/metrics", Scope::kMetricsRead, kNoBody, metrics},
      {"POST", "/mcp",    Scope::kAuthenticated, kApiDocument, serve_mcp},
      {"GET", "/audit",   Scope::kAuditRead, kNoBody, list_audit},
      {"GET", A "/namespaces/{ns}/audit", Scope::kAuditRead, kNoBody, list_audit},
      {"GET", "/audit/chain",      Scope::kAuditRead, kNoBody, read_audit_chain},
      {"GET", "/audit/checkpoint", Scope::kAuditRead, kNoBody, make_audit_checkpoint},
      {"POST", "/admin/backups", Scope::kAdmin, kSmallDocument, make_backup},
      {"POST", "/admin/secret-key/rotate", Scope::kAdmin, kSmallDocument, rotate_secret_key},
      {"GET",  "/receipt-keys", Scope::kAuthenticated, kNoBody, list_receipt_keys},
      {"POST", "/admin/receipt-key/rotate", Scope::kAdmin, kSmallDocument, rotate_receipt_key},
      {"GET",    "/admin/tokens",      Scope::kAdmin, kNoBody,        list_access_tokens},
      {"POST",   "/admin/tokens",      Scope::kAdmin, kSmallDocument, make_access_token},
      {"DELETE", "/admin/tokens/{id}", Scope::kAdmin, kOptionalDocument, revoke_access_token},

      // Pages for people. They hold nothing that is secret; what they show comes from the routes below.
      {"GET", "/", Scope::kPublic, kNoBody, dashboard_page},
      {"GET", "/dashboard/{file}", Scope::kPublic, kNoBody, dashboard_file},

      // What kubectl asks before it does anything.
      {"GET", "/api",                         Scope::kAuthenticated, kNoBody, from_store(api_versions)},
      {"GET", "/api/v1",                      Scope::kAuthenticated, kNoBody, from_store(core_resources)},
      {"GET", "/api/v1/namespaces",           Scope::kAdmin, kNoBody, from_store(list_namespaces)},
      {"GET", "/api/v1/namespaces/{ns}",      Scope::kAuthenticated, kNoBody, from_store(get_namespace)},
      {"GET", "/api/v1/events",               Scope::kRunsRead, kNoBody, from_store(list_events)},
      {"GET", "/api/v1/namespaces/{ns}/events", Scope::kRunsRead, kNoBody, from_store(list_events)},
      {"GET", "/api/v1/namespaces/{ns}/events/{name}", Scope::kRunsRead, kNoBody, from_store(get_event)},
      {"GET", "/apis",                        Scope::kAuthenticated, kNoBody, from_store(api_groups)},
      {"GET", "/apis/paddock.dev",            Scope::kAuthenticated, kNoBody, from_store(api_group)},
      {"GET", A,                              Scope::kAuthenticated, kNoBody, from_store(group_resources)},
      {"GET", "/apis/agents.x-k8s.io",            Scope::kAuthenticated, kNoBody, from_store(agents_group)},
      {"GET", AGENTS,                             Scope::kAuthenticated, kNoBody, from_store(agents_resources)},
      {"GET", "/apis/extensions.agents.x-k8s.io", Scope::kAuthenticated, kNoBody, from_store(agent_extensions_group)},
      {"GET", AGENT_EXTENSIONS,                   Scope::kAuthenticated, kNoBody, from_store(agent_extensions_resources)},
      {"GET", "/openapi/v3" AGENTS,               Scope::kAuthenticated, kNoBody, from_store(agents_openapi)},
      {"GET", "/openapi/v3" AGENT_EXTENSIONS,     Scope::kAuthenticated, kNoBody, from_store(agent_extensions_openapi)},
      {"GET", "/openapi/v2",                  Scope::kAuthenticated, kNoBody, from_store(openapi_v2)},
      {"GET", "/openapi/v3",                  Scope::kAuthenticated, kNoBody, from_store(openapi_index)},
      {"GET", "/openapi/v3" A,                Scope::kAuthenticated, kNoBody, from_store(openapi_document)},

      // Who am I, what may I do.
      {"GET",  "/apis/authorization.k8s.io/v1", Scope::kAuthenticated, kNoBody, from_store(authorization_resources)},
      {"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", Scope::kAuthenticated, kReviewDocument, can_try(review_access)},
      {"POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",  Scope::kAuthenticated, kReviewDocument, can_try(review_rules)},
      {"GET",  "/apis/authentication.k8s.io/{version}", Scope::kAuthenticated, kNoBody, from_store(authentication_resources)},
      {"POST", "/apis/authentication.k8s.io/{version}/selfsubjectreviews", Scope::kAuthenticated, kReviewDocument, can_try(review_self)},
  };
}

Routes pod_routes() {
  return {
      // Runs as pods, for `kubectl logs` and `exec`.
      lists<PodView>("/api/v1/pods"),
      lists<PodView>("/api/v1/namespaces/{ns}/pods"),
      gets<PodView>("/api/v1/namespaces/{ns}/pods/{name}"),
      {"GET", "/api/v1/namespaces/{ns}/pods/{name}/exec", Scope::kRunsWrite, kNoBody, exec_in_pod},
      {"POST", "/api/v1/namespaces/{ns}/pods/{name}/exec", Scope::kRunsWrite, kNoBody, exec_in_pod},
      {"GET", "/api/v1/namespaces/{ns}/pods/{name}/log", Scope::kRunsRead, kNoBody, run_log},
      // What a run has not: refused, with the way that works.
      {"GET", "/api/v1/namespaces/{ns}/pods/{name}/attach", Scope::kRunsRead, kNoBody, refuse_attach},
      {"POST", "/api/v1/namespaces/{ns}/pods/{name}/attach", Scope::kRunsRead, kNoBody, refuse_attach},
      {"GET", "/api/v1/namespaces/{ns}/pods/{name}/portforward", Scope::kRunsRead, kNoBody, refuse_port_forward},
      {"POST", "/api/v1/namespaces/{ns}/pods/{name}/portforward", Scope::kRunsRead, kNoBody, refuse_port_forward},
  };
}

Routes run_routes() {
  return {
      // Runs.
      lists<Itself<Run>>(A "/runs"),
      lists<Itself<Run>>(RUNS),
      gets<Itself<Run>>(RUNS "/{name}", contracts::kReadRun),
      CHANGE_ROUTES(Run, RUNS "/{name}", Scope::kRunsWrite),
      STATUS_ROUTES(Run, RUNS "/{name}"),
      {"POST",   RUNS,                              Scope::kRunsWrite, kApiDocument,   can_try(create_runs)},
      {"POST",   A "/namespaces/{ns}/plan",         Scope::kRunsRead,  kApiDocument,   can_try(plan_run)},
      {"POST",   A "/namespaces/{ns}/policy/explain", Scope::kRunsRead, kApiDocument,  can_try(explain_policy)},
      {"DELETE", RUNS "/{name}",                    Scope::kRunsWrite, kOptionalDocument, can_try(delete_object<Run>)},
      {"DELETE", RUNS, Scope::kRunsWrite, kOptionalDocument, can_try(delete_collection<Run>)},
      {"POST",   RUNS "/{name}/cancel",             Scope::kRunsWrite, kOptionalDocument, cancel_run, contracts::kCancelRun},
      {"POST",   RUNS "/{name}/signal",             Scope::kRunsWrite, kSmallDocument, signal_run},
      {"GET",    RUNS "/{name}/events",             Scope::kRunsRead,  kNoBody,        run_events, contracts::kReadEvents},
      {"GET",    RUNS "/{name}/log",                Scope::kRunsRead,  kNoBody,        run_log, contracts::kReadLog},
      {"GET",    RUNS "/{name}/artifacts",          Scope::kRunsRead,  kNoBody,        list_artifacts, contracts::kReadArtifacts},
      {"GET",    RUNS "/{name}/artifacts/{path…}",  Scope::kRunsRead,  kNoBody,        get_artifact, contracts::kReadArtifacts},
      {"GET",    RUNS "/{name}/files",              Scope::kRunsWrite, kNoBody,        read_run_file},
      {"GET",    RUNS "/{name}/files/{path…}",      Scope::kRunsWrite, kNoBody,        read_run_file},
      {"PUT",    RUNS "/{name}/files/{path…}",      Scope::kRunsWrite, kStreamed,      put_run_file},
      {"PUT",    RUNS "/{name}/pools/{pool}",       Scope::kNodesWrite, kSmallDocument, put_pool_report},
      {"POST",   RUNS "/{name}/commands",           Scope::kRunsWrite, kExecDocument,  run_command_in_run},
      {"POST",   RUNS "/{name}/commands/{command}/stdin", Scope::kRunsWrite, kSmallDocument, put_command_input},
      {"POST",   RUNS "/{name}/commands/{command}/cancel", Scope::kRunsWrite, kOptionalDocument, cancel_command_in_run},
      {"GET",    RUNS "/{name}/receipt",            Scope::kRunsRead,  kNoBody,        get_receipt},
      {"POST",   RUNS "/{name}/tool-tokens",        Scope::kRunsWrite, kSmallDocument, make_run_token, contracts::kMakeToolTokens},
      {"POST",   RUNS "/{name}/media",              Scope::kRunsWrite, kMediaDocument, generate_media, contracts::kGenerateMedia},
      {"POST",   RUNS "/{name}/tool-results",       Scope::kRunsWrite, kToolDocument,  answer_tool,    contracts::kWriteToolResults},

      // Grants: what callers and runs may use.
      lists<Itself<Grant>>(A "/grants"),
      READ_ROUTES(Grant, GRANTS, GRANTS "/{name}"),
      CHANGE_ROUTES(Grant, GRANTS "/{name}", Scope::kGrantsWrite),
      STATUS_ROUTES(Grant, GRANTS "/{name}"),
      {"POST",   GRANTS,                            Scope::kGrantsWrite, kSmallDocument, can_try(create_object<Grant>)},
      {"POST",   GRANTS "/{name}/explain",          Scope::kGrantsRead,  kSmallDocument, can_try(explain_grant)},
      {"DELETE", GRANTS "/{name}",                  Scope::kGrantsWrite, kOptionalDocument, can_try(delete_object<Grant>)},
      {"DELETE", GRANTS, Scope::kGrantsWrite, kOptionalDocument, can_try(delete_collection<Grant>)},

      // Secrets: written by callers, given to runs, read by nobody.
      lists<Itself<Secret>>(A "/secrets"),
      READ_ROUTES(Secret, SECRETS, SECRETS "/{name}"),
      {"PUT",    SECRETS "/{name}",                 Scope::kSecretsWrite, kChangeDocument, can_try(change_secret)},
      {"PATCH",  SECRETS "/{name}",                 Scope::kSecretsWrite, kChangeDocument, can_try(change_secret)},
      STATUS_ROUTES(Secret, SECRETS "/{name}"),
      {"POST",   SECRETS,                           Scope::kSecretsWrite, kApiDocument,   can_try(create_secret)},
      {"DELETE", SECRETS "/{name}",                 Scope::kSecretsWrite, kOptionalDocument, can_try(delete_object<Secret>)},
      {"DELETE", SECRETS, Scope::kSecretsWrite, kOptionalDocument, can_try(delete_collection<Secret>)},

      // Tool tokens: credentials of one run.
      lists<Itself<ToolToken>>(A "/tooltokens"),
      READ_ROUTES(ToolToken, TOOL_TOKENS, TOOL_TOKENS "/{name}"),
      CHANGE_ROUTES(ToolToken, TOOL_TOKENS "/{name}", Scope::kRunsWrite),
      STATUS_ROUTES(ToolToken, TOOL_TOKENS "/{name}"),
      {"POST",   TOOL_TOKENS,                       Scope::kRunsWrite, kSmallDocument, can_try(create_object<ToolToken>)},
      {"POST",   TOOL_TOKENS "/{name}/revoke",      Scope::kRunsWrite, kOptionalDocument, revoke_token},
      {"DELETE", TOOL_TOKENS "/{name}",             Scope::kRunsWrite, kOptionalDocument, can_try(delete_object<ToolToken>)},
      {"DELETE", TOOL_TOKENS, Scope::kRunsWrite, kOptionalDocument, can_try(delete_collection<ToolToken>)},

      // Sandboxes: sessions.
      lists<Itself<Sandbox>>(A "/sandboxes"),
      READ_ROUTES(Sandbox, SANDBOXES, SANDBOXES "/{name}"),
      CHANGE_ROUTES(Sandbox, SANDBOXES "/{name}", Scope::kRunsWrite),
      STATUS_ROUTES(Sandbox, SANDBOXES "/{name}"),
      {"POST",   SANDBOXES,                         Scope::kRunsWrite, kApiDocument,   can_try(create_object<Sandbox>)},
      {"DELETE", SANDBOXES "/{name}",               Scope::kRunsWrite, kOptionalDocument, can_try(destroy_sandbox)},
      {"DELETE", SANDBOXES, Scope::kRunsWrite, kOptionalDocument, can_try(delete_collection<Sandbox>)},
      {"POST",   SANDBOXES "/{name}/commands",      Scope::kRunsWrite, kStreamed,      run_session_command},
      {"POST",   SANDBOXES "/{name}/commands/{command}/cancel", Scope::kRunsWrite, kOptionalDocument, cancel_session_command},
      {"GET",    SANDBOXES "/{name}/files",         Scope::kRunsRead,  kNoBody,        read_session_file},
      {"GET",    SANDBOXES "/{name}/files/{path…}", Scope::kRunsRead,  kNoBody,        read_session_file},
      {"PUT",    SANDBOXES "/{name}/files/{path…}", Scope::kRunsWrite, kStreamed,      write_session_file},
      {"DELETE", SANDBOXES "/{name}/files/{path…}", Scope::kRunsWrite, kOptionalDocument, remove_session_file},

      // The same as a new run, in the words of the design's own clients.
      {"POST",   "/build",                          Scope::kRunsWrite, kApiDocument,   can_try(create_build)},
      // A snippet, run and answered at once.
      {"POST",   "/execute",                        Scope::kExecute,   kStreamed,      execute_code},
  };
}

// A kind that is stored beside sessions, in its collection.
#define AGENT_EXTENSION_ROUTES(KIND, PLURAL)                                                    \
  lists<AgentView<KIND>>(AGENT_EXTENSIONS PLURAL),                                              \
      lists<AgentView<KIND>>(EXTENSION(PLURAL)),                                                \
      gets<AgentView<KIND>>(EXTENSION(PLURAL) "/{name}"),                                       \
      gets<AgentView<KIND>>(EXTENSION(PLURAL) "/{name}/status"),                                \
      {"POST", EXTENSION(PLURAL), Scope::kRunsWrite, kApiDocument,                              \
       can_try(create_object<KIND, AgentView<KIND>>)},                                          \
      {"PUT", EXTENSION(PLURAL) "/{name}", Scope::kRunsWrite, kChangeDocument,                  \
       can_try(change_object<KIND, AgentView<KIND>>)},                                          \
      {"PATCH", EXTENSION(PLURAL) "/{name}", Scope::kRunsWrite, kChangeDocument,                \
       can_try(change_object<KIND, AgentView<KIND>>)},                                          \
      {"PUT", EXTENSION(PLURAL) "/{name}/status", Scope::kAdmin, kChangeDocument,               \
       can_try(change_status<KIND, AgentView<KIND>>)},                                          \
      {"PATCH", EXTENSION(PLURAL) "/{name}/status", Scope::kAdmin, kChangeDocument,             \
       can_try(change_status<KIND, AgentView<KIND>>)},                                          \
      {"DELETE", EXTENSION(PLURAL) "/{name}", Scope::kRunsWrite, kOptionalDocument,             \
       can_try(delete_object<KIND, AgentView<KIND>>)},                                          \
      {"DELETE", EXTENSION(PLURAL), Scope::kRunsWrite, kOptionalDocument,                       \
       can_try(delete_collection<KIND, AgentView<KIND>>)}

// Sessions as the kinds of the project agent-sandbox.
Routes agent_sandbox_routes() {
  return {
      lists<AgentSandboxView>(AGENTS "/sandboxes"),
      lists<AgentSandboxView>(AGENT_SANDBOXES),
      gets<AgentSandboxView>(AGENT_SANDBOXES "/{name}"),
      gets<AgentSandboxView>(AGENT_SANDBOXES "/{name}/status"),
      {"POST",   AGENT_SANDBOXES,                   Scope::kRunsWrite, kApiDocument,      can_try(create_agent_sandbox)},
      {"PUT",    AGENT_SANDBOXES "/{name}",         Scope::kRunsWrite, kChangeDocument,   can_try(change_agent_sandbox)},
      {"PATCH",  AGENT_SANDBOXES "/{name}",         Scope::kRunsWrite, kChangeDocument,   can_try(change_agent_sandbox)},
      {"PUT",    AGENT_SANDBOXES "/{name}/status",  Scope::kAdmin,     kChangeDocument,   can_try(change_status<Sandbox, AgentSandboxView>)},
      {"PATCH",  AGENT_SANDBOXES "/{name}/status",  Scope::kAdmin,     kChangeDocument,   can_try(change_status<Sandbox, AgentSandboxView>)},
      {"DELETE", AGENT_SANDBOXES "/{name}",         Scope::kRunsWrite, kOptionalDocument, can_try(destroy_agent_sandbox)},
      {"DELETE", AGENT_SANDBOXES,                   Scope::kRunsWrite, kOptionalDocument, can_try(delete_collection<Sandbox, AgentSandboxView>)},
      AGENT_EXTENSION_ROUTES(contracts::SandboxTemplate, "/sandboxtemplates"),
      AGENT_EXTENSION_ROUTES(contracts::SandboxWarmPool, "/sandboxwarmpools"),
      AGENT_EXTENSION_ROUTES(contracts::SandboxClaim, "/sandboxclaims"),
  };
}

// Sessions as E2B's tools use them. What a call does, it asks of the routes above, as its caller.
Routes e2b_routes() {
  return {
      {"POST",   "/e2b/v2/sandboxes",               Scope::kRunsWrite, kApiDocument,      create_e2b_sandbox},
      {"POST",   "/e2b/sandboxes",                  Scope::kRunsWrite, kApiDocument,      create_e2b_sandbox_as_before},
      {"GET",    "/e2b/v2/sandboxes",               Scope::kRunsRead,  kNoBody,           list_e2b_sandboxes},
      {"POST",   "/e2b/v2/sandboxes/{id}/connect",  Scope::kRunsWrite, kOptionalDocument, connect_e2b_sandbox},
      {"POST",   "/e2b/sandboxes/{id}/connect",     Scope::kRunsWrite, kOptionalDocument, connect_e2b_sandbox},
      {"GET",    "/e2b/sandboxes/{id}",             Scope::kRunsRead,  kNoBody,           get_e2b_sandbox},
      {"DELETE", "/e2b/sandboxes/{id}",             Scope::kRunsWrite, kOptionalDocument, kill_e2b_sandbox},
      {"POST",   "/e2b/sandboxes/{id}/timeout",     Scope::kRunsWrite, kSmallDocument,    set_e2b_timeout},
      {"POST",   "/e2b/sandboxes/{id}/pause",       Scope::kRunsWrite, kOptionalDocument, pause_e2b_sandbox},
      {"GET",    "/e2b/envd/health",                Scope::kRunsRead,  kNoBody,           check_e2b_health},
      {"GET",    "/e2b/envd/files",                 Scope::kRunsRead,  kNoBody,           read_e2b_file},
      {"POST",   "/e2b/envd/files",                 Scope::kRunsWrite, kStreamed,         write_e2b_files},
      {"POST",   "/e2b/envd/process.Process/Start", Scope::kRunsWrite, kStreamed,         start_e2b_process},
      {"POST",   "/e2b/envd/filesystem.Filesystem/Stat",    Scope::kRunsRead, kStreamed,  call_e2b_service},
      {"POST",   "/e2b/envd/filesystem.Filesystem/ListDir", Scope::kRunsRead, kStreamed,  call_e2b_service},
      {"POST",   "/e2b/envd/{service}/{method}",    Scope::kRunsWrite, kStreamed,         call_e2b_service},
      {"GET",    "/e2b/{rest…}",                    Scope::kAuthenticated, kNoBody,       refuse_e2b},
      {"POST",   "/e2b/{rest…}",                    Scope::kAuthenticated, kNoBody,       refuse_e2b},
      {"PUT",    "/e2b/{rest…}",                    Scope::kAuthenticated, kNoBody,       refuse_e2b},
      {"PATCH",  "/e2b/{rest…}",                    Scope::kAuthenticated, kNoBody,       refuse_e2b},
      {"DELETE", "/e2b/{rest…}",                    Scope::kAuthenticated, kNoBody,       refuse_e2b},
  };
}

Routes file_routes() {
  return {
      // Workspaces.
      lists<Itself<Workspace>>(A "/workspaces"),
      READ_ROUTES(Workspace, WORKSPACES, WORKSPACES "/{name}"),
      CHANGE_ROUTES(Workspace, WORKSPACES "/{name}", Scope::kWorkspacesWrite),
      STATUS_ROUTES(Workspace, WORKSPACES "/{name}"),
      {"POST",   WORKSPACES,                          Scope::kWorkspacesWrite, kApiDocument,   can_try(create_object<Workspace>)},
      {"DELETE", WORKSPACES "/{name}",                Scope::kWorkspacesWrite, kOptionalDocument, can_try(delete_object<Workspace>)},
      {"DELETE", WORKSPACES, Scope::kWorkspacesWrite, kOptionalDocument, can_try(delete_collection<Workspace>)},
      {"GET",    WORKSPACES "/{name}/tree",           Scope::kWorkspacesRead,  kNoBody,        get_workspace_tree},
      {"POST",   WORKSPACES "/{name}/tree",           Scope::kWorkspacesWrite, kTreeDocument,  offer_workspace_tree},
      {"PUT",    WORKSPACES "/{name}/blobs/{digest}", Scope::kWorkspacesWrite, kStreamed,      put_workspace_blob},
      {"POST",   WORKSPACES "/{name}/blobs",          Scope::kWorkspacesWrite, kStreamed,      send_workspace_blobs},

      // Workspaces as projects that people look at.
      {"GET",    WORKSPACES "/{name}/raw/{path…}",    Scope::kWorkspacesRead,  kNoBody,        get_raw_file, contracts::kReadProject},
      {"GET",    WORKSPACES "/{name}/export",         Scope::kWorkspacesRead,  kNoBody,        get_export_manifest, contracts::kReadProject},
      {"GET",    WORKSPACES "/{name}/export/{path…}", Scope::kWorkspacesRead,  kNoBody,        get_inline_export, contracts::kReadProject},
      {"GET",    WORKSPACES "/{name}/preview-url",    Scope::kWorkspacesRead,  kNoBody,        get_preview_url},
      {"GET",    "/preview/{scope}/{path…}",          Scope::kPublic,          kNoBody,        get_preview},

      // Volumes: what runs published.
      lists<Itself<Volume>>(A "/volumes"),
      READ_ROUTES(Volume, VOLUMES, VOLUMES "/{name}"),
      CHANGE_ROUTES(Volume, VOLUMES "/{name}", Scope::kWorkspacesWrite),
      STATUS_ROUTES(Volume, VOLUMES "/{name}"),
      {"DELETE", VOLUMES "/{name}",      Scope::kWorkspacesWrite, kOptionalDocument, can_try(delete_object<Volume>)},
      {"DELETE", VOLUMES, Scope::kWorkspacesWrite, kOptionalDocument, can_try(delete_collection<Volume>)},
  };
}

Routes node_routes() {
  return {
      // Nodes, for people.
      READ_ROUTES(Node, A "/nodes", NODE),
      CHANGE_ROUTES(Node, NODE, Scope::kNodesWrite),
      STATUS_ROUTES(Node, NODE),
      {"DELETE", NODE,        Scope::kNodesWrite, kOptionalDocument, can_try(delete_node)},
      {"POST",   NODE "/cordon",   Scope::kNodesWrite, kSmallDocument, cordon_node},
      {"POST",   NODE "/uncordon", Scope::kNodesWrite, kSmallDocument, uncordon_node},
      {"GET",    NODE "/drain",    Scope::kNodesRead,  kNoBody,        get_drain},
      {"POST",   NODE "/drain",    Scope::kNodesWrite, kSmallDocument, drain_node},
      {"PUT",    NODE "/taints",   Scope::kNodesWrite, kSmallDocument, taint_node},
      {"POST",   NODE "/enroll-token", Scope::kNodesWrite, kSmallDocument, make_enroll_token},

      // What they and their runs use, for `kubectl top`.
      {"GET", METRICS,                               Scope::kAuthenticated, kNoBody, from_store(metrics_resources)},
      {"GET", METRICS "/nodes",                      Scope::kNodesRead, kNoBody, list_node_metrics},
      {"GET", METRICS "/nodes/{node}",               Scope::kNodesRead, kNoBody, get_node_metrics},
      {"GET", METRICS "/pods",                       Scope::kRunsRead,  kNoBody, list_pod_metrics},
      {"GET", METRICS "/namespaces/{ns}/pods",       Scope::kRunsRead,  kNoBody, list_pod_metrics},
      {"GET", METRICS "/namespaces/{ns}/pods/{name}", Scope::kRunsRead, kNoBody, get_pod_metrics},
      lists<CoreNodeView>("/api/v1/nodes"),
      gets<CoreNodeView>("/api/v1/nodes/{node}"),

      // Nodes, for their agents.
      {"POST", NODE "/enroll",                        Scope::kNodeEnroll, kSmallDocument, enroll_node},
      {"POST", NODE "/credential",                    Scope::kNodeSelf,   kSmallDocument, rotate_credential},
      {"POST", NODE "/leave",                         Scope::kNodeSelf,   kSmallDocument, leave_node},
      {"POST", NODE "/synchronize",                   Scope::kNodeSelf,   kApiDocument,   synchronize_node},
      {"POST", NODE "/calls",                         Scope::kNodeSelf,   kCallsDocument,  serve_node_calls},
      {"GET",  NODE "/runs/{uid}/tree",               Scope::kNodeSelf,   kNoBody,        node_run_tree},
      {"GET",  NODE "/runs/{uid}/blobs/{digest}",     Scope::kNodeSelf,   kNoBody,        node_run_blob},
      {"POST", NODE "/runs/{uid}/blobs",              Scope::kNodeSelf,   kApiDocument,   node_run_blobs},
      {"PUT",  NODE "/runs/{uid}/artifacts/{digest}", Scope::kNodeSelf,   kStreamed,      node_run_artifact},
      {"POST", NODE "/runs/{uid}/artifacts",          Scope::kNodeSelf,   kApiDocument,   node_run_finished},
      {"GET",  NODE "/runs/{uid}/tool-bundle",        Scope::kNodeSelf,   kNoBody,        node_tool_bundle},
      {"POST", NODE "/runs/{uid}/secrets",            Scope::kNodeSelf,   kSmallDocument, node_run_secrets},
      {"POST", NODE "/runs/{uid}/tool-token",         Scope::kNodeSelf,   kSmallDocument, make_environment_token},
  };
}
// clang-format on

}  // namespace

const std::vector<Route>& routes() {
  static const Routes kRoutes = [] {
    Routes all;
    for (const Routes& some : {server_routes(), pod_routes(), run_routes(), agent_sandbox_routes(),
                               e2b_routes(), file_routes(), node_routes()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return kRoutes;
}

std::vector<Route> execute_routes(bool open) {
  return {{"POST", "/execute", open ? Scope::kPublic : Scope::kExecute, kStreamed, execute_code},
          {"GET", "/health", Scope::kPublic, kNoBody, execute_health},
          {"GET", "/livez", Scope::kPublic, kNoBody, livez},
          {"GET", "/", Scope::kPublic, kNoBody, execute_service}};
}

std::string describe_routes(const std::vector<Route>& table) {
  std::string text;
  for (const Route& route : table) {
    std::string body = "-";
    if (route.body.kind == BodyKind::kStream) body = "stream";
    if (route.body.kind == BodyKind::kDocument || route.body.kind == BodyKind::kReview)
      body = cat("document up to ", format_quantity(static_cast<int64_t>(route.body.limit)),
                 route.body.optional ? " or none" : "");
    text += cat(route.method, " ", route.pattern, "  scope ", auth::scope_name(route.scope),
                "  body ", body);
    if (route.tries) text += "  dry run";
    if (route.stored) text += "  standby";
    if (route.tool) text += cat("  tool ", route.tool->endpoint, " ", route.tool->operation);
    text += "\n";
  }
  return text;
}

}  // namespace paddock::api
