// What the runs of a namespace have placed at once, together: the bounds and what is in use of
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/run.h"

namespace paddock::contracts {

inline constexpr int64_t kMostOfAQuota = 1'000'000'000;

struct DevicesOfKind {
  AcceleratorKind kind = AcceleratorKind::kAny;
  int64_t count = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(field("kind", &DevicesOfKind::kind, "nvidia, apple, or any: all together"),
                 field("count", &DevicesOfKind::count, "how many devices",
                       {.required = true, .min = 0, .max = kMostOfAQuota}));
  }
  friend bool operator==(const DevicesOfKind&, const DevicesOfKind&) = default;
};

// What is left out is not bounded.
struct ComputeQuota {
  std::optional<int64_t> runs;
  std::optional<int64_t> cpu;
  std::optional<wire::Quantity> memory;
  std::optional<wire::Quantity> disk;
  std::vector<DevicesOfKind> accelerators;
  static constexpr auto describe(auto&& visit) {
    return visit(field("runs", &ComputeQuota::runs, "how many runs are placed at once",
                       {.min = 0, .max = kMostOfAQuota}),
                 field("cpu", &ComputeQuota::cpu, "cores; a run that asks for none counts as one",
                       {.min = 0, .max = kMostOfAQuota}),
                 field("memory", &ComputeQuota::memory,
                       "memory that the sandboxes of placed runs may use together"),
                 field("disk", &ComputeQuota::disk,
                       "bytes that the sandboxes of placed runs may write together"),
                 field("accelerators", &ComputeQuota::accelerators,
                       "devices by kind; a run that asks for any counts for every kind",
                       {.omit_empty = true, .max_length = 8}));
  }
  friend bool operator==(const ComputeQuota&, const ComputeQuota&) = default;
};

struct QuotaUse {
  int64_t runs = 0;
  int64_t cpu = 0;
  wire::Quantity memory;
  wire::Quantity disk;
  std::vector<DevicesOfKind> accelerators;
  static constexpr auto describe(auto&& visit) {
    return visit(field("runs", &QuotaUse::runs, "how many runs are placed now"),
                 field("cpu", &QuotaUse::cpu, "cores that placed runs count as"),
                 field("memory", &QuotaUse::memory,
                       "memory that the sandboxes of placed runs may use together"),
                 field("disk", &QuotaUse::disk,
                       "bytes that the sandboxes of placed runs may write together"),
                 field("accelerators", &QuotaUse::accelerators, "devices of placed runs by kind",
                       {.omit_empty = true}));
  }
};

// "runs 1/4, cpu 2/8, memory 1Gi/8Gi, disk 4Gi/64Gi, nvidia 0/2"; without a use "runs 4, cpu 8".
std::string quota_text(const ComputeQuota& quota, const std::optional<QuotaUse>& use);

}  // namespace paddock::contracts
