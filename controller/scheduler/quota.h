// What a namespace may hold at once, and its share of what there is. Configured by the operator;
// the one place that knows, whatever grants it later on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "common/contracts/meta.h"
#include "controller/scheduler/demand.h"

namespace paddock::scheduler {

using wire::field;

struct Quota {
  // Of placed runs together. Absent: not bounded.
  std::optional<int64_t> runs;
  std::optional<int64_t> cpu;
  std::optional<wire::Quantity> memory;
  std::optional<int64_t> accelerators;
  // Of runs that wait; more are refused at creation.
  std::optional<int64_t> pending;
  std::optional<int64_t> max_priority;
  int64_t weight = 100;
  static constexpr auto describe() {
    return std::tuple{
        field("runs", &Quota::runs, "placed runs at once", {.min = 0}),
        field("cpu", &Quota::cpu, "cores that placed runs asked for", {.min = 0}),
        field("memory", &Quota::memory, "memory that placed runs asked for"),
        field("accelerators", &Quota::accelerators, "devices of placed runs", {.min = 0}),
        field("pending", &Quota::pending, "runs that wait; more are refused", {.min = 0}),
        field("maxPriority", &Quota::max_priority, "higher ones are refused",
              {.min = -1000, .max = 1000}),
        field("weight", &Quota::weight, "share of a busy cluster, relative to other namespaces",
              {.min = 1, .max = 1'000'000}),
    };
  }
};

// What a namespace's placed runs asked for together, or what a cluster has.
struct Usage {
  int64_t runs = 0;
  int64_t cpu = 0;
  int64_t memory = 0;
  int64_t accelerators = 0;
  void add(const Demand& demand, int64_t sign = 1);
  bool nothing() const { return runs == 0; }
  friend bool operator==(const Usage&, const Usage&) = default;
};

// By namespace; "*" is for those without a row of their own. `runs_per_namespace` bounds the runs
// of those whose row says nothing about runs; 0: not bounded.
class Quotas {
 public:
  Quotas() = default;
  explicit Quotas(std::map<std::string, Quota> rows, int64_t runs_per_namespace = 0)
      : rows_(std::move(rows)), runs_per_namespace_(runs_per_namespace) {}
  const Quota& of(const std::string& name_space) const;
  // Why one more run of this namespace waits, and what would help; nothing if it may go.
  std::optional<std::string> refusal(const std::string& name_space, const Usage& used,
                                     const Demand& demand) const;

 private:
  std::map<std::string, Quota> rows_;
  int64_t runs_per_namespace_ = 0;
};

// Why one more run is over the quota, and what would help; nothing if it is not.
struct OverQuota {
  std::string message;  // "3 of 4 cores are in use and 2 more are asked for"
  bool ever = true;     // false: the run alone is over it
};
std::optional<OverQuota> over_quota(const Quota& quota, const Usage& used, const Demand& demand);

// The largest of a namespace's shares of what there is, over its weight.
double dominant_share(const Usage& used, const Usage& total, int64_t weight);

}  // namespace paddock::scheduler
