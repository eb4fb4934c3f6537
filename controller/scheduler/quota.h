// Decides what a namespace may hold at once, by the operator's configuration and by grants, and its
// share of the cluster. No other code decides it. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/contracts/compute_quota.h"
#include "common/contracts/meta.h"
#include "controller/scheduler/charge.h"

namespace paddock::scheduler {

using wire::field;

struct Quota {
  // Bounds on all placed runs together. An absent one bounds nothing.
  std::optional<int64_t> runs;
  std::optional<int64_t> cpu;
  std::optional<wire::Quantity> memory;
  std::optional<wire::Quantity> disk;
  std::optional<int64_t> accelerators;
  // How many runs may wait. More are refused when they are created.
  std::optional<int64_t> pending;
  std::optional<int64_t> max_priority;
  std::optional<wire::Quantity> stored;  // files of the namespace; absent: blobs.namespaceQuota
  int64_t weight = 100;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("runs", &Quota::runs, "placed runs at once", {.min = 0}),
        field("cpu", &Quota::cpu, "cores of placed runs; one that asks for none counts as one",
              {.min = 0}),
        field("memory", &Quota::memory,
              "memory that the sandboxes of placed runs may use together"),
        field("disk", &Quota::disk, "bytes that the sandboxes of placed runs may write together"),
        field("accelerators", &Quota::accelerators, "devices of placed runs", {.min = 0}),
        field("pending", &Quota::pending, "runs that wait; more are refused", {.min = 0}),
        field("maxPriority", &Quota::max_priority, "higher ones are refused",
              {.min = -1000, .max = 1000}),
        field("stored", &Quota::stored,
              "files of the namespace together; blobs.namespaceQuota unless given"),
        field("weight", &Quota::weight, "share of a busy cluster, relative to other namespaces",
              {.min = 1, .max = 1'000'000}));
  }
};

// What a namespace's placed runs asked for together, or what a cluster has.
struct Usage {
  int64_t runs = 0;
  int64_t cpu = 0;
  int64_t memory = 0;
  int64_t accelerators = 0;
  int64_t disk = 0;
  Charges charged;  // the same as quotas count it
  void add(const Demand& demand, int64_t sign = 1);
  bool nothing() const { return runs == 0 && charged == Charges(); }
  friend bool operator==(const Usage&, const Usage&) = default;
};

// The bound that one more run would exceed.
struct OverQuota {
  enum class What { kRuns, kCpu, kMemory, kDisk, kAccelerators };
  What what = What::kRuns;
  contracts::AcceleratorKind kind = contracts::AcceleratorKind::kAny;  // of accelerators
  int64_t limit = 0;
  int64_t used = 0;
  int64_t asked = 0;
  bool ever() const { return asked <= limit; }  // false: the run alone is over it
};
std::optional<OverQuota> over_quota(const contracts::ComputeQuota& quota, const Charges& used,
                                    const Charge& charge);
// Its field below spec.compute.quota of a Grant, and that of a run or a session that would have to
// ask for less.
std::string_view quota_field(OverQuota::What what);
std::string_view run_field(OverQuota::What what);
std::string_view session_field(OverQuota::What what);

// By namespace; "*" is for those without a row of their own. `runs_per_namespace` bounds the runs
// of those whose row says nothing about runs; 0: not bounded. What grants bound comes on top, and
// of several bounds all hold.
class Quotas {
 public:
  Quotas() = default;
  explicit Quotas(const std::map<std::string, Quota>& rows, int64_t runs_per_namespace = 0);
  const Quota& of(const std::string& name_space) const;
  // Takes in the bounds that a grant sets now; nothing: it sets none any more. False if nothing has
  // changed.
  bool put_granted(const std::string& name_space, const std::string& grant,
                   const std::optional<contracts::ComputeQuota>& quota);
  // By the name of the grant.
  using Granted = std::map<std::string, contracts::ComputeQuota>;
  const std::map<std::string, Granted>& granted() const { return granted_; }

  bool allows(const std::string& name_space, const Charges& used, const Charge& charge) const;
  // Whether anything but the nodes bounds what this namespace has at once.
  bool bounds(const std::string& name_space) const;
  // Checks that one more session may be made; sessions cannot wait: QUOTA_USED_UP, or
  // QUOTA_TOO_SMALL if it never could.
  Status check_session(const std::string& name_space, const Charges& used,
                       const Charge& charge) const;
  // Why one more run of this namespace waits, and what would help; nothing if it may go.
  std::optional<std::string> refusal(const std::string& name_space, const Charges& used,
                                     const Charge& charge) const;

 private:
  struct Row {
    Quota quota;
    contracts::ComputeQuota bounds;
  };
  struct Excess {
    OverQuota over;
    std::string grant;    // empty: the operator's
    bool of_all = false;  // maxRunsPerNamespace
  };
  const Row& row_of(const std::string& name_space) const;
  std::optional<Excess> find_over(const std::string& name_space, const Charges& used,
                                  const Charge& charge) const;

  std::map<std::string, Row> rows_;
  std::map<std::string, Granted> granted_;  // by namespace
  int64_t runs_per_namespace_ = 0;
};

// The error for a run that is by itself over a bound, of the operator's or, with its name, of a
// grant's: QUOTA_TOO_SMALL.
Status check_alone(const std::string& name_space, const std::string& grant,
                   const contracts::ComputeQuota& quota, const Charge& charge);
contracts::ComputeQuota bounds_of(const Quota& quota);

// The largest of a namespace's shares of what there is, over its weight.
double dominant_share(const Usage& used, const Usage& total, int64_t weight);

}  // namespace paddock::scheduler
