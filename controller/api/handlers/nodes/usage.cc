#include "controller/api/handlers/nodes/usage.h"

#include "common/base/text.h"
#include "controller/api/objects/list_query.h"
#include "controller/api/server/documents.h"
#include "controller/k8s/pods.h"
#include "controller/nodes/usage_table.h"

namespace paddock::api {
namespace {

using contracts::Node;
using contracts::Run;
using nodes::Measured;
using wire::Value;

using Nodes = std::map<std::string, Node>;

Result<Nodes> read_nodes(store::ReadTxn& txn) {
  Nodes out;
  ASSIGN_OR_RETURN(auto page, txn.list<Node>({}));
  for (Node& each : page.items) out.emplace(each.metadata.name, std::move(each));
  return out;
}

std::optional<Value> shown(Call& call, const Node& node) {
  const auto seen = call.services.usage->of_node(node, call.services.clock.mono());
  if (!seen || !k8s::is_measured(seen->use)) return std::nullopt;
  return k8s::node_metrics(node, seen->use, seen->at);
}

std::optional<Value> shown(Call& call, const Run& run, const Nodes& nodes) {
  const auto node = nodes.find(run.status.node_name);
  if (run.status.phase != contracts::RunPhase::kRunning || node == nodes.end()) return std::nullopt;
  const auto seen = call.services.usage->of_run(run, node->second, call.services.clock.mono());
  if (!seen || !k8s::is_measured(seen->use)) return std::nullopt;
  return k8s::pod_metrics(run, seen->use, seen->at);
}

Response list_of(const char* kind, Value::Array items) {
  return json_response(
      k8s::list(contracts::kMetricsVersion, kind, k8s::list_meta({}), std::move(items)));
}

Error not_measured(const char* what, const std::string& name) {
  return Error{Code::kNotFound, "USE_NOT_MEASURED",
               cat(what, " \"", to_utf8_lossy(name),
                   "\": nothing was measured; a run is measured while it runs, by an agent of this "
                   "release")};
}

}  // namespace

Result<Response> metrics_resources(Call&) { return json_response(k8s::metrics_resources()); }

Result<Response> list_node_metrics(Call& call) {
  ASSIGN_OR_RETURN(const ListQuery query, parse_list_query(call, CoreNodeView::fields(Node{})));
  Nodes nodes;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(nodes, read_nodes(txn));
    return {};
  }));
  Value::Array items;
  for (const auto& [name, node] : nodes) {
    if (!query.labels.matches(CoreNodeView::labels(node)) ||
        !query.fields.matches(CoreNodeView::fields(node)))
      continue;
    if (auto item = shown(call, node)) items.push_back(std::move(*item));
  }
  return list_of("NodeMetrics", std::move(items));
}

Result<Response> get_node_metrics(Call& call) {
  Node node;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(node, txn.get<Node>({"", call.param("node")}));
    return {};
  }));
  if (auto item = shown(call, node)) return json_response(*item);
  return not_measured("nodes", call.param("node"));
}

Result<Response> list_pod_metrics(Call& call) {
  ASSIGN_OR_RETURN(const ListQuery query, parse_list_query(call, k8s::pod_fields(Run{})));
  Value::Array items;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    items.clear();
    ASSIGN_OR_RETURN(const Nodes nodes, read_nodes(txn));
    return txn.visit_active_runs([&](const Run& run) {
      const auto& only = query.options.name_space;
      if ((only && run.metadata.name_space != *only) ||
          !query.labels.matches(k8s::pod_labels(run)) ||
          !query.fields.matches(k8s::pod_fields(run)))
        return;
      if (auto item = shown(call, run, nodes)) items.push_back(std::move(*item));
    });
  }));
  return list_of("PodMetrics", std::move(items));
}

Result<Response> get_pod_metrics(Call& call) {
  Nodes nodes;
  Run run;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(run, txn.get<Run>(call.key()));
    ASSIGN_OR_RETURN(auto node, txn.find<Node>({"", run.status.node_name}));
    if (node) nodes.emplace(node->metadata.name, std::move(*node));
    return {};
  }));
  if (auto item = shown(call, run, nodes)) return json_response(*item);
  return not_measured("runs", call.param("name"));
}

}  // namespace paddock::api
