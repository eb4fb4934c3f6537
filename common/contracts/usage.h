// What a node and its runs use right now, as the node's agent measures it. The controller keeps the
// latest word in memory and shows it (controller/nodes/usage_table.h); nothing of it is stored.
// What could not be measured is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

struct Use {
  std::optional<int64_t> cpu_milli;          // thousandths of a core, over the last few seconds
  std::optional<wire::Quantity> memory;      // without what the kernel can take back at once
  std::optional<int64_t> tasks;              // processes and threads
  std::optional<int64_t> accelerator_milli;  // thousandths of an accelerator, of all together
  std::optional<wire::Quantity> accelerator_memory;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("cpuMilli", &Use::cpu_milli, "thousandths of a core", {.min = 0}),
        field("memory", &Use::memory, "bytes, without files that only are cached"),
        field("tasks", &Use::tasks, "processes and threads", {.min = 0}),
        field("acceleratorMilli", &Use::accelerator_milli,
              "thousandths of an accelerator that are busy, of all together", {.min = 0}),
        field("acceleratorMemory", &Use::accelerator_memory, "bytes of all accelerators together"));
  }
  friend bool operator==(const Use&, const Use&) = default;
};

struct RunUse {
  std::string run_uid;
  int64_t attempt = 0;
  Use use;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("runUid", &RunUse::run_uid, "which run", {.required = true, .max_length = 64}),
        field("attempt", &RunUse::attempt, "which attempt", {.required = true, .min = 1}),
        field("use", &RunUse::use, "by all of its processes"));
  }
};

struct UsageReport {
  Use node;  // by everything on the host
  std::vector<RunUse> runs;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("node", &UsageReport::node, "by everything on the host"),
        field("runs", &UsageReport::runs, "by each run that runs", {.max_length = 10'000}));
  }
};

// The use as others are shown it, in the form of metrics.k8s.io/v1beta1: amounts by name, such as
// `cpu: 250m` and `memory: 1048576`. Beyond `cpu` and `memory` the names are ours.
inline constexpr const char* kMetricsVersion = "metrics.k8s.io/v1beta1";
inline constexpr const char* kCpuAmount = "cpu";
inline constexpr const char* kMemoryAmount = "memory";
inline constexpr const char* kTasksAmount = "tasks";
inline constexpr const char* kAcceleratorAmount = "accelerators";
inline constexpr const char* kAcceleratorMemoryAmount = "acceleratorMemory";

}  // namespace paddock::contracts
