#include "controller/scheduler/quota.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::scheduler {

namespace {

using contracts::AcceleratorKind;
using What = OverQuota::What;

// `limit - used` cannot overflow: neither is negative.
bool over(int64_t limit, int64_t used, int64_t more) { return more > 0 && more > limit - used; }

// The most accelerators of a kind that a run may turn out to take.
int64_t asked_of(const std::optional<contracts::Accelerators>& asked, AcceleratorKind kind) {
  if (!asked) return 0;
  const bool counts =
      asked->kind == kind || asked->kind == AcceleratorKind::kAny || kind == AcceleratorKind::kAny;
  return counts ? asked->count : 0;
}

std::string amount(const OverQuota& over, int64_t value) {
  const bool bytes = over.what == What::kMemory || over.what == What::kDisk;
  return bytes ? format_quantity(value) : cat(value);
}

std::string noun(const OverQuota& over) {
  switch (over.what) {
    case What::kRuns:
      return "runs";
    case What::kCpu:
      return "cores";
    case What::kMemory:
      return "of memory";
    case What::kDisk:
      return "of disk";
    case What::kAccelerators:
      break;
  }
  if (over.kind == AcceleratorKind::kAny) return "accelerators";
  return cat(wire::enum_name(over.kind), " accelerators");
}

std::string owner_text(const std::string& name_space, const std::string& grant) {
  return cat("the quota of namespace ", name_space,
             grant.empty() ? "" : cat(" (grant ", grant, ")"));
}

std::string raise_text(const std::string& grant, const OverQuota& over) {
  if (grant.empty())
    return over.ever() ? "ask the operator for more" : "ask the operator for a larger quota";
  return cat("an administrator raises spec.compute.quota.", quota_field(over.what), " of grant ",
             grant);
}

std::string waits_text(const std::string& name_space, const std::string& grant,
                       const OverQuota& over) {
  return cat(owner_text(name_space, grant), " is used up: ", amount(over, over.used), " of ",
             amount(over, over.limit), " ", noun(over), " are in use and ",
             amount(over, over.asked),
             " more would be needed; would help: wait for a run or session of ", name_space,
             " to end, or ", raise_text(grant, over));
}

std::string never_text(const std::string& name_space, const std::string& grant,
                       const OverQuota& over, const char* kind = "run") {
  const char* limitless = "";
  if (over.what == What::kMemory && over.asked == kMostMemory)
    limitless = ", having no memory limit in its sandbox";
  if (over.what == What::kDisk && over.asked == kMostDisk)
    limitless = ", having no limit of its files in its sandbox";
  return cat(owner_text(name_space, grant), " has ", amount(over, over.limit), " ", noun(over),
             " in all and this ", kind, " alone counts as ", amount(over, over.asked), limitless,
             "; would help: ", over.what == What::kRuns ? "" : "ask for less, or ",
             raise_text(grant, over));
}

constexpr int64_t kMostDiskOfARun = int64_t{1} << 50;  // a sum of many is a number still

double share(int64_t used, int64_t total) {
  if (used <= 0) return 0;
  return total <= 0 ? 1 : static_cast<double>(used) / static_cast<double>(total);
}

}  // namespace

void Usage::add(const Demand& demand, int64_t sign) {
  runs += sign;
  cpu += sign * demand.cpu;
  memory += sign * demand.memory;
  if (demand.accelerators) accelerators += sign * demand.accelerators->count;
  disk += sign * std::min(demand.disk, kMostDiskOfARun);
  charged.add(charge_of(demand), sign);
}

std::optional<OverQuota> over_quota(const contracts::ComputeQuota& quota, const Charges& used,
                                    const Charge& charge) {
  constexpr auto kAny = AcceleratorKind::kAny;
  if (quota.runs && over(*quota.runs, used.runs, charge.runs))
    return OverQuota{What::kRuns, kAny, *quota.runs, used.runs, charge.runs};
  if (quota.cpu && over(*quota.cpu, used.cpu, charge.cpu))
    return OverQuota{What::kCpu, kAny, *quota.cpu, used.cpu, charge.cpu};
  for (const contracts::DevicesOfKind& each : quota.accelerators) {
    const int64_t held = used.devices[static_cast<size_t>(each.kind)];
    const int64_t asked = asked_of(charge.accelerators, each.kind);
    if (over(each.count, held, asked))
      return OverQuota{What::kAccelerators, each.kind, each.count, held, asked};
  }
  if (quota.memory && over(quota.memory->bytes, used.memory, charge.memory))
    return OverQuota{What::kMemory, kAny, quota.memory->bytes, used.memory, charge.memory};
  if (quota.disk && over(quota.disk->bytes, used.disk, charge.disk))
    return OverQuota{What::kDisk, kAny, quota.disk->bytes, used.disk, charge.disk};
  return std::nullopt;
}

std::string_view quota_field(What what) {
  switch (what) {
    case What::kRuns:
      return "runs";
    case What::kCpu:
      return "cpu";
    case What::kMemory:
      return "memory";
    case What::kDisk:
      return "disk";
    case What::kAccelerators:
      return "accelerators";
  }
  return "";
}

std::string_view run_field(What what) {
  switch (what) {
    case What::kRuns:
      return "spec";
    case What::kCpu:
      return "spec.resources.cpu";
    case What::kMemory:
      return "spec.sandbox.limits.memory";
    case What::kDisk:
      return "spec.sandbox.limits.fsBytes";
    case What::kAccelerators:
      return "spec.resources.accelerators";
  }
  return "";
}

std::string_view session_field(What what) {
  if (what == What::kMemory) return "spec.security.limits.memoryBytes";
  return what == What::kDisk ? "spec.security.limits.fsBytes" : "spec";
}

contracts::ComputeQuota bounds_of(const Quota& quota) {
  contracts::ComputeQuota bounds{quota.runs, quota.cpu, quota.memory, quota.disk, {}};
  if (quota.accelerators) bounds.accelerators = {{AcceleratorKind::kAny, *quota.accelerators}};
  return bounds;
}

Status check_alone(const std::string& name_space, const std::string& grant,
                   const contracts::ComputeQuota& quota, const Charge& charge) {
  const auto over = over_quota(quota, {}, charge);
  if (!over) return {};
  std::string message = never_text(name_space, grant, *over);
  const bool gang = over->what == What::kRuns && charge.runs > 1;
  return Error{Code::kPermissionDenied,
               "QUOTA_TOO_SMALL",
               message,
               {{gang ? "spec.nodes" : std::string(run_field(over->what)), message}}};
}

Quotas::Quotas(const std::map<std::string, Quota>& rows, int64_t runs_per_namespace)
    : runs_per_namespace_(runs_per_namespace) {
  for (const auto& [name, quota] : rows) rows_[name] = {quota, bounds_of(quota)};
}

const Quotas::Row& Quotas::row_of(const std::string& name_space) const {
  static const Row kNone;
  auto row = rows_.find(name_space);
  if (row == rows_.end()) row = rows_.find("*");
  return row == rows_.end() ? kNone : row->second;
}

const Quota& Quotas::of(const std::string& name_space) const { return row_of(name_space).quota; }

bool Quotas::put_granted(const std::string& name_space, const std::string& grant,
                         const std::optional<contracts::ComputeQuota>& quota) {
  const auto space = granted_.find(name_space);
  const bool known = space != granted_.end() && space->second.contains(grant);
  if (!quota) {
    if (!known) return false;
    space->second.erase(grant);
    if (space->second.empty()) granted_.erase(space);
    return true;
  }
  if (known && space->second.at(grant) == *quota) return false;
  granted_[name_space][grant] = *quota;
  return true;
}

std::optional<Quotas::Excess> Quotas::find_over(const std::string& name_space, const Charges& used,
                                                const Charge& charge) const {
  const Row& row = row_of(name_space);
  if (const auto over = over_quota(row.bounds, used, charge)) return Excess{*over, {}, false};
  const bool of_all = runs_per_namespace_ > 0 && !row.quota.runs;
  if (of_all && over(runs_per_namespace_, used.runs, charge.runs))
    return Excess{
        {.limit = runs_per_namespace_, .used = used.runs, .asked = charge.runs}, {}, true};
  const auto granted = granted_.find(name_space);
  if (granted == granted_.end()) return std::nullopt;
  for (const auto& [grant, quota] : granted->second) {
    if (const auto over = over_quota(quota, used, charge)) return Excess{*over, grant, false};
  }
  return std::nullopt;
}

bool Quotas::bounds(const std::string& name_space) const {
  const Row& row = row_of(name_space);
  return row.bounds != contracts::ComputeQuota() || runs_per_namespace_ > 0 ||
         granted_.contains(name_space);
}

Status Quotas::check_session(const std::string& name_space, const Charges& used,
                             const Charge& charge) const {
  const auto refused = [](Code code, Reason reason, const Excess& found, std::string message) {
    const std::string field(session_field(found.over.what));
    return Error{code, reason, message, {{field, message}}};
  };
  if (const auto never = find_over(name_space, {}, charge)) {
    return refused(Code::kPermissionDenied, "QUOTA_TOO_SMALL", *never,
                   never_text(name_space, never->grant, never->over, "session"));
  }
  if (const auto now = find_over(name_space, used, charge)) {
    return refused(Code::kResourceExhausted, "QUOTA_USED_UP", *now,
                   *refusal(name_space, used, charge));
  }
  return {};
}

bool Quotas::allows(const std::string& name_space, const Charges& used,
                    const Charge& charge) const {
  return !find_over(name_space, used, charge);
}

std::optional<std::string> Quotas::refusal(const std::string& name_space, const Charges& used,
                                           const Charge& charge) const {
  const auto found = find_over(name_space, used, charge);
  if (!found) return std::nullopt;
  if (found->of_all)
    return cat("namespace ", name_space,
               found->over.asked > 1 ? " may have no more than " : " has its ", runs_per_namespace_,
               runs_per_namespace_ == 1 ? " run" : " runs", " at once",
               found->over.asked > 1 ? cat(", of which ", found->over.used, " are there and ",
                                           found->over.asked, " more would be needed")
                                     : "",
               "; would help: wait for one of them to end, or the operator raises "
               "maxRunsPerNamespace");
  return found->over.ever() ? waits_text(name_space, found->grant, found->over)
                            : never_text(name_space, found->grant, found->over);
}

double dominant_share(const Usage& used, const Usage& total, int64_t weight) {
  // Nodes that do not say how much they have take no part.
  const double of_disk = total.disk > 0 ? share(used.disk, total.disk) : 0;
  const double most = std::max({share(used.runs, total.runs), share(used.cpu, total.cpu),
                                share(used.memory, total.memory),
                                share(used.accelerators, total.accelerators), of_disk});
  return most / static_cast<double>(weight);
}

}  // namespace paddock::scheduler
