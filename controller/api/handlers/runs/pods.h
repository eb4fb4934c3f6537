// Runs shown as core/v1 Pods, read-only: a view for lists, reads and watches.
#pragma once

#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/objects/views.h"
#include "controller/k8s/pods.h"

namespace paddock::api {

struct PodView {
  using Stored = contracts::Run;
  static constexpr const char* kKind = "Pod";
  static constexpr const char* kApiVersion = "v1";
  static constexpr bool kShownAsStored = false;
  static wire::Value object(const Stored& run) { return k8s::pod_of(run); }
  static wire::Value cells(const Stored& run, WallTime now) { return k8s::pod_cells(run, now); }
  static wire::Value columns() { return k8s::pod_columns(); }
  static k8s::Labels labels(const Stored& run) { return k8s::pod_labels(run); }
  static k8s::Labels fields(const Stored& run) { return k8s::pod_fields(run); }
};

}  // namespace paddock::api
