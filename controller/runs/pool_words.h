// What pools report about a run that waits: a condition for each pool, and the end of the message
// that says why the run is pending. Both go when the run is placed or ends.
#pragma once

#include <string>

#include "common/contracts/pool_report.h"
#include "common/contracts/run.h"
#include "controller/runs/transitions.h"

namespace paddock::runs {

// The type of a pool's condition is this and its name.
inline constexpr std::string_view kPoolCondition = "pool.paddock.dev/";
// More pools than so many say nothing of one run.
inline constexpr size_t kMostPools = 8;

// FailedPrecondition (RUN_NOT_PENDING): it does not wait. InvalidArgument: too many pools. No event
// if the run says that already.
Result<Events> hear_pool(contracts::Run& run, const std::string& pool,
                         const contracts::PoolReport& report, WallTime now);
// `why` with what the pools say.
std::string with_pool_words(const contracts::RunStatus& status, const std::string& why);
void forget_pools(contracts::RunStatus& status);

}  // namespace paddock::runs
