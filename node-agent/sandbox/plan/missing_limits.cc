#include "node-agent/sandbox/plan/missing_limits.h"

#include "common/base/text.h"

namespace paddock::sandbox {

void AbsentLimits::add_address_space(const contracts::SandboxLimits& limits, const char* why) {
  if (!limits.address_space) return;
  enforced_["addressSpace"] = by_nothing(requested(limits.address_space), reason_, why);
  if (!limits.memory) missed_.emplace_back("addressSpace");
}

void AbsentLimits::add_cpus(const std::optional<int64_t>& cpus) {
  if (!cpus) return;
  enforced_["cpus"] =
      by_nothing(*cpus, reason_, cat("processors are shared with whatever else runs: ", why_));
}

Status accept_missing(const std::vector<std::string>& missed, Reason reason, const char* cannot,
                      bool allow_partial, bool& partial) {
  if (missed.empty()) return {};
  partial = true;
  if (allow_partial) return {};
  return refuse(reason, cat(cannot, " ", join(missed, ", "), "; or set allowPartial"));
}

}  // namespace paddock::sandbox
