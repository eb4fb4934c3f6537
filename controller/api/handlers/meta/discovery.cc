#include "controller/api/handlers/meta/discovery.h"

#include <set>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/kinds.h"
#include "common/contracts/readiness.h"
#include "common/contracts/version.h"
#include "controller/api/metrics/metrics.h"
#include "controller/api/metrics/scheduling_metrics.h"
#include "controller/api/metrics/stored_use.h"
#include "controller/api/server/documents.h"
#include "controller/calls/relay.h"
#include "controller/events/notifier.h"
#include "controller/k8s/discovery.h"
#include "controller/k8s/objects.h"
#include "controller/k8s/table.h"
#include "controller/reconciler/reconciler.h"
#include "controller/secrets/vault.h"
#include "controller/workspaces/blob_intake.h"
#include "controller/workspaces/stored_bytes.h"

namespace paddock::api {
namespace {

using contracts::Grant;
using contracts::Run;
using contracts::RunPhase;
using contracts::ToolToken;
using contracts::Volume;
using contracts::Workspace;

// Reads one object of each namespace, and continues behind that namespace's last possible name.
template <class T>
Status add_namespaces(store::ReadTxn& txn, std::set<std::string>& out) {
  constexpr const char* kBehindAllNames = "/\x7f";
  store::ListOptions options;
  options.limit = 1;
  options.leave_out = true;
  do {
    ASSIGN_OR_RETURN(const store::Page<T> page, txn.list<T>(options));
    options.after = page.continue_after;
    for (const T& item : page.items) {
      out.insert(item.metadata.name_space);
      if (!options.after.empty()) options.after = cat(item.metadata.name_space, kBehindAllNames);
    }
  } while (!options.after.empty());
  return {};
}

Result<std::set<std::string>> used_namespaces(store::Store& store) {
  std::set<std::string> names = {"default"};
  Status read;
  const auto add = [&]<class T>(std::type_identity<T>) {
    if (!read || !k8s::resource_of(T::kKind).namespaced) return;
    read = store.read([&](store::ReadTxn& txn) { return add_namespaces<T>(txn, names); });
  };
  contracts::OwnKinds::each(add);
  contracts::AgentKinds::each(add);
  TRY(read);
  return names;
}

wire::Value core_list(const char* kind, wire::Value::Array items) {
  return k8s::list("v1", kind, k8s::list_meta({}), std::move(items));
}

// Runs by phase. The elements of an array are counted, and the array itself is not.
using PhaseCounts = std::map<RunPhase, int64_t>;

Result<PhaseCounts> count_active(store::ReadTxn& txn, const std::string& only) {
  PhaseCounts out;
  TRY(txn.visit_active_runs([&](const Run& run) {
    if (contracts::is_array(run.spec)) return;
    if (only.empty() || run.metadata.name_space == only) ++out[run.status.phase];
  }));
  return out;
}

std::string active_runs_text(const PhaseCounts& active) {
  constexpr const char* kName = "paddock_runs_active";
  std::string text = metric_type(kName, "gauge", "runs that have not ended, by phase");
  for (const auto& [phase, name] : wire::EnumNames<RunPhase>::values) {
    if (contracts::is_terminal(phase)) continue;
    const auto found = active.find(phase);
    text += metric_line(kName, "phase", name, found == active.end() ? 0 : found->second);
  }
  return text;
}

}  // namespace

Result<Response> livez(Call&) { return text_response("ok\n"); }

namespace {

Status check_store(Call& call) {
  TRY(call.services.store.read([](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const int64_t version, txn.resource_version());
    return version >= 0 ? Status()
                        : Error{Code::kInternal, "STORE_CORRUPT", "the store has no version"};
  }));
  TRY(call.services.store.check_writable());
  return call.services.blobs.check_there();
}

Status check_serving(Call& call) {
  TRY(check_store(call));
  if (!call.services.notifier.stopped()) return {};
  return Error{Code::kUnavailable, "SERVER_STOPPING", "this server is stopping"};
}

}  // namespace

// Says only whether this controller is ready, or that another one leads: the request needs no
// token.
Result<Response> readyz(Call& call) {
  const Status serving = check_serving(call);
  if (!serving.ok() && is_one_of(serving.error().reason, {"NOT_LEADER", "STORE_FENCED"}))
    return serving.error();
  if (!serving.ok() && !call.services.notifier.stopped())
    log_error("not ready", {{"error", serving.error().describe()}});
  return json_response(contracts::readiness(serving.ok()), serving.ok() ? 200 : 503);
}

namespace {

// Counts the runs that this caller may read: active ones by phase, and all ended ones as one
// number, since there may be many.
Result<wire::Value> runs_value(Call& call) {
  const std::string& only = call.principal.name_space;
  wire::Value out = wire::Value::Object{};
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const PhaseCounts active, count_active(txn, only));
    std::map<std::string, int64_t> phases;
    for (const auto& [phase, count] : active) phases[std::string(wire::enum_name(phase))] = count;
    for (const auto& [phase, count] : phases) out.set(phase, count);
    ASSIGN_OR_RETURN(const int64_t ended,
                     txn.finished_count(only.empty() ? std::nullopt : std::optional(only)));
    out.set("ended", ended);
    return {};
  }));
  return out;
}

wire::Value refusal_value(const Error& error) {
  return wire::Value::Object{{"reason", error.reason}, {"message", error.message}};
}

}  // namespace

// The same check as /readyz, with the reason that /readyz does not show.
Result<Response> server_status(Call& call) {
  const Status serving = check_serving(call);
  wire::Value status = wire::Value::Object{{"ok", serving.ok()},
                                           {"version", contracts::kProgramVersion},
                                           {"sandboxMode", call.services.media.sandbox_mode},
                                           {"maxBlob", call.services.intake.limits().max_blob},
                                           {"shuttingDown", call.services.notifier.stopped()}};
  const auth::Principal& caller = call.principal;
  if (auth::authorize(caller, auth::Scope::kWorkspacesRead, caller.name_space, "").ok())
    status.set("stored", stored_value(*call.services.stored, call.principal));
  if (serving.ok() && auth::authorize(caller, auth::Scope::kRunsRead, caller.name_space, "").ok()) {
    ASSIGN_OR_RETURN(wire::Value runs, runs_value(call));
    status.set("runs", std::move(runs));
  }
  if (!serving.ok()) {
    status.set("reason", serving.error().reason);
    status.set("message", serving.error().message);
  }
  if (const Status room = serving.ok() ? call.services.intake.check_room(0) : Status(); !room.ok())
    status.set("files", refusal_value(room.error()));
  if (!call.services.intake.counted()) status.set("filesCounted", false);
  if (const Status keys = serving.ok() ? call.services.vault->check(call.services.store) : Status();
      !keys.ok())
    status.set("secrets", refusal_value(keys.error()));
  if (const Status works = call.services.reconciler.check_works(); !works.ok())
    status.set("scheduling", refusal_value(works.error()));
  return json_response(status);
}

Result<Response> metrics(Call& call) {
  PhaseCounts active;
  std::vector<contracts::Node> nodes;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(active, count_active(txn, ""));
    ASSIGN_OR_RETURN(auto page, txn.list<contracts::Node>({}));
    nodes = std::move(page.items);
    return {};
  }));
  std::string text = active_runs_text(active) + call.services.metrics.text();
  text += call.services.metrics.execute.text(call.services.calls->load(call.services.clock));
  text += call.services.metrics.device_time.text();
  text += nodes_text(nodes) + cool_downs_text(nodes) + disks_text(nodes) + devices_text(nodes) +
          scheduling_text(call.services.reconciler.totals());
  text += metric_type("paddock_blob_bytes", "gauge", "bytes of all stored blobs");
  text += metric_line("paddock_blob_bytes", "", "", call.services.intake.used());
  text += stored_text(*call.services.stored);
  Response response = text_response(std::move(text));
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  return response;
}

Result<Response> version(Call&) { return json_response(k8s::version()); }
Result<Response> api_versions(Call&) { return json_response(k8s::api_versions()); }
Result<Response> core_resources(Call&) { return json_response(k8s::core_resources()); }
Result<Response> api_groups(Call&) { return json_response(k8s::api_groups()); }
Result<Response> api_group(Call&) { return json_response(k8s::api_group()); }
Result<Response> group_resources(Call&) { return json_response(k8s::group_resources()); }
Result<Response> openapi_index(Call&) { return json_response(k8s::openapi_index()); }
Result<Response> openapi_document(Call&) { return json_response(k8s::openapi_document()); }

Result<Response> agents_group(Call&) {
  return json_response(k8s::api_group(contracts::kAgentsGroup));
}
Result<Response> agents_resources(Call&) {
  return json_response(k8s::group_resources(k8s::kAgentResources));
}
Result<Response> agents_openapi(Call&) {
  return json_response(k8s::openapi_document(contracts::kAgentsGroup));
}
Result<Response> agent_extensions_group(Call&) {
  return json_response(k8s::api_group(contracts::kAgentExtensionsGroup));
}
Result<Response> agent_extensions_resources(Call&) {
  return json_response(k8s::group_resources(k8s::kAgentExtensionResources));
}
Result<Response> agent_extensions_openapi(Call&) {
  return json_response(k8s::openapi_document(contracts::kAgentExtensionsGroup));
}

Result<Response> openapi_v2(Call&) {
  Response response;
  response.content_type = "application/octet-stream";
  response.body = k8s::openapi_v2_document();
  return response;
}

Result<Response> list_namespaces(Call& call) {
  ASSIGN_OR_RETURN(const std::set<std::string> names, used_namespaces(call.services.store));
  wire::Value::Array items;
  for (const std::string& name : names) items.push_back(k8s::name_space(name));
  return json_response(core_list("Namespace", std::move(items)));
}

Result<Response> get_namespace(Call& call) {
  // Any valid name will do: a namespace exists by being used.
  if (k8s::is_dns_label(call.param("ns"))) return json_response(k8s::name_space(call.param("ns")));
  return Error{Code::kNotFound, "NAMESPACE_NOT_FOUND",
               cat("namespaces \"", to_utf8_lossy(call.param("ns")), "\" not found")};
}

Result<Response> authorization_resources(Call&) {
  return json_response(k8s::authorization_resources());
}
Result<Response> authentication_resources(Call& call) {
  const std::string& version = call.param("version");
  if (version == "v1" || version == "v1beta1")
    return json_response(k8s::authentication_resources(version));
  return Error{Code::kNotFound, "ROUTE_NOT_FOUND",
               "the server could not find the requested resource"};
}

}  // namespace paddock::api
