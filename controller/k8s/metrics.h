// Use of nodes and runs as metrics.k8s.io/v1beta1 shows it, so that `kubectl top` can be used, and
// the nodes as core/v1 has them, from which it reads how much there is. Pure.
#pragma once

#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/usage.h"
#include "common/wire/value.h"

namespace paddock::k8s {

// Whether any of it was measured: what was not is left out of `usage`.
bool is_measured(const contracts::Use& use);
wire::Value node_metrics(const contracts::Node& node, const contracts::Use& use, WallTime at);
wire::Value pod_metrics(const contracts::Run& run, const contracts::Use& use, WallTime at);

wire::Value core_node(const contracts::Node& node);

}  // namespace paddock::k8s
