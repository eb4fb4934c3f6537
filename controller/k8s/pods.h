// A run as a read-only core/v1 Pod of one container, so that `kubectl logs` can be used: it knows
// no other kinds. Pure.
#pragma once

#include "controller/k8s/columns.h"
#include "controller/k8s/selectors.h"

namespace paddock::k8s {

inline constexpr const char* kPodContainer = "main";

wire::Value pod_of(const contracts::Run& run);
Labels pod_labels(const contracts::Run& run);  // the run's own, and paddock.dev/run=NAME
Labels pod_fields(const contracts::Run& run);
wire::Value pod_columns();
wire::Value pod_cells(const contracts::Run& run, WallTime now);

}  // namespace paddock::k8s
