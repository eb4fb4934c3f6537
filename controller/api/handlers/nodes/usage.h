// What nodes and runs use right now, read-only: `paddock top`, and `kubectl top`, which reads the
// nodes in their core/v1 form beside it.
#pragma once

#include "controller/api/handlers/nodes/node_kind.h"
#include "controller/api/objects/views.h"
#include "controller/api/server/call.h"
#include "controller/k8s/discovery.h"
#include "controller/k8s/metrics.h"

namespace paddock::api {

struct CoreNodeView {
  using Stored = contracts::Node;
  static constexpr const char* kKind = "Node";
  static constexpr const char* kApiVersion = "v1";
  static constexpr bool kShownAsStored = false;
  static wire::Value object(const Stored& node) { return k8s::core_node(node); }
  static wire::Value cells(const Stored& node, WallTime now) { return k8s::cells(node, now); }
  static wire::Value columns() { return k8s::columns(Stored::kKind); }
  static const k8s::Labels& labels(const Stored& node) { return node.metadata.labels; }
  static k8s::Labels fields(const Stored& node) {
    return KindTraits<Stored>::selectable_fields(node);
  }
};

Result<Response> metrics_resources(Call& call);
Result<Response> list_node_metrics(Call& call);
Result<Response> get_node_metrics(Call& call);
// What the runs of one namespace, or of all, use: only runs that are running and were measured.
Result<Response> list_pod_metrics(Call& call);
Result<Response> get_pod_metrics(Call& call);

}  // namespace paddock::api
