#include "controller/scheduler/quota.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::scheduler {

namespace {

// `limit - used` cannot overflow: neither is negative.
bool over(int64_t limit, int64_t used, int64_t more) { return more > 0 && more > limit - used; }

std::optional<OverQuota> refusal(const std::string& limit, const std::string& used,
                                 const std::string& asked, const char* what, bool ever) {
  return OverQuota{
      cat(used, " of ", limit, " ", what, " are in use and ", asked, " more would be needed"),
      ever};
}

std::optional<OverQuota> count_refusal(const std::optional<int64_t>& limit, int64_t used,
                                       int64_t more, const char* what) {
  if (!limit || !over(*limit, used, more)) return std::nullopt;
  return refusal(cat(*limit), cat(used), cat(more), what, more <= *limit);
}

std::string text(const std::string& name_space, const OverQuota& over) {
  const std::string help =
      over.ever ? cat("wait for a run of ", name_space, " to end, or ask the operator for more")
                : "ask for less, or ask the operator for a larger quota";
  return cat("the quota of namespace ", name_space, " is used up: ", over.message,
             "; would help: ", help);
}

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
}

const Quota& Quotas::of(const std::string& name_space) const {
  static const Quota kNone;
  auto row = rows_.find(name_space);
  if (row == rows_.end()) row = rows_.find("*");
  return row == rows_.end() ? kNone : row->second;
}

std::optional<std::string> Quotas::refusal(const std::string& name_space, const Usage& used,
                                           const Demand& demand) const {
  const Quota& quota = of(name_space);
  if (const auto over = over_quota(quota, used, demand)) return text(name_space, *over);
  if (quota.runs || runs_per_namespace_ == 0 || used.runs < runs_per_namespace_)
    return std::nullopt;
  return cat("namespace ", name_space, " has its ", runs_per_namespace_,
             runs_per_namespace_ == 1 ? " run" : " runs",
             " at once; would help: wait for one of them to end, or the operator raises "
             "maxRunsPerNamespace");
}

std::optional<OverQuota> over_quota(const Quota& quota, const Usage& used, const Demand& demand) {
  const int64_t devices = demand.accelerators ? demand.accelerators->count : 0;
  if (auto no = count_refusal(quota.runs, used.runs, 1, "runs")) return no;
  if (auto no = count_refusal(quota.cpu, used.cpu, demand.cpu, "cores")) return no;
  if (auto no = count_refusal(quota.accelerators, used.accelerators, devices, "accelerators"))
    return no;
  if (quota.memory && over(quota.memory->bytes, used.memory, demand.memory)) {
    return refusal(format_quantity(quota.memory->bytes), format_quantity(used.memory),
                   format_quantity(demand.memory), "of memory",
                   demand.memory <= quota.memory->bytes);
  }
  return std::nullopt;
}

double dominant_share(const Usage& used, const Usage& total, int64_t weight) {
  const double most =
      std::max({share(used.runs, total.runs), share(used.cpu, total.cpu),
                share(used.memory, total.memory), share(used.accelerators, total.accelerators)});
  return most / static_cast<double>(weight);
}

}  // namespace paddock::scheduler
