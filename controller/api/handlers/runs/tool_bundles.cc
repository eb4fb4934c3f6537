#include "controller/api/handlers/runs/tool_bundles.h"

#include "common/wire/json.h"
#include "controller/api/server/documents.h"
#include "controller/nodes/registry.h"

namespace paddock::api {

void show_summary_only(contracts::Run& run) {
  if (!run.spec.tool_bundle) return;
  run.status.tool_bundle = contracts::summary_of(*run.spec.tool_bundle);
  run.metadata.annotations.erase("kubectl.kubernetes.io/last-applied-configuration");
}

Status keep_bundle(store::WriteTxn& txn, const contracts::Run& run,
                   const contracts::ToolBundle& bundle) {
  return txn.put_tool_bundle(run.metadata.uid, wire::encode_json(bundle));
}

Result<Response> node_tool_bundle(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Run run,
                   nodes::assigned_run(call.services.store, call.param("node"), call.param("uid")));
  std::optional<std::string> bundle;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(bundle, txn.tool_bundle(run.metadata.uid));
    return {};
  }));
  if (!bundle) return Error{Code::kNotFound, "TOOL_BUNDLE_NOT_FOUND", "the run has no tool bundle"};
  ASSIGN_OR_RETURN(const wire::Value document, wire::parse_json(*bundle));
  Response response = json_response(document);
  response.headers.emplace_back("cache-control", "no-store");
  return response;
}

}  // namespace paddock::api
