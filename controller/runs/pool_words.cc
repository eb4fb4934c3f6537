#include "controller/runs/pool_words.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/runs/conditions.h"
#include "controller/runs/stream_events.h"

namespace paddock::runs {
namespace {

using contracts::Condition;

bool is_of_pool(const Condition& condition) { return condition.type.starts_with(kPoolCondition); }

// Why it waits without what pools say: as its condition has it.
std::string own_words(const contracts::RunStatus& status) {
  const auto scheduled = std::ranges::find(status.conditions, "Scheduled", &Condition::type);
  return scheduled == status.conditions.end() ? status.message : scheduled->message;
}

}  // namespace

Result<Events> hear_pool(contracts::Run& run, const std::string& pool,
                         const contracts::PoolReport& report, WallTime now) {
  contracts::RunStatus& status = run.status;
  if (status.phase != contracts::RunPhase::kPending)
    return Error{Code::kFailedPrecondition, "RUN_NOT_PENDING", "the run does not wait for a node"};
  const std::string type = cat(kPoolCondition, pool);
  const char* coming = report.coming ? "True" : "False";
  const auto known = std::ranges::find(status.conditions, type, &Condition::type);
  if (known == status.conditions.end() &&
      std::ranges::count_if(status.conditions, is_of_pool) >= static_cast<ptrdiff_t>(kMostPools))
    return invalid_argument("INVALID_FIELD",
                            cat(kMostPools, " pools say something of this run already"), "pool");
  if (known != status.conditions.end() && known->status == coming &&
      known->message == report.message)
    return Events{};
  const std::string why = own_words(status);
  set_condition(status, {type, coming, kUnschedulable, report.message}, now);
  status.message = with_pool_words(status, why);
  return Events{phase_event(run, now)};
}

std::string with_pool_words(const contracts::RunStatus& status, const std::string& why) {
  std::string out = why;
  for (const Condition& each : status.conditions) {
    if (is_of_pool(each))
      out += cat("; pool ", each.type.substr(kPoolCondition.size()), ": ", each.message);
  }
  return out;
}

void forget_pools(contracts::RunStatus& status) { std::erase_if(status.conditions, is_of_pool); }

}  // namespace paddock::runs
