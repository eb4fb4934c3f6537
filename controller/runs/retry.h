// Whether and when a run is tried again. Pure.
#pragma once

#include <optional>

#include "common/base/time.h"
#include "common/contracts/run.h"
#include "common/contracts/sync.h"

namespace paddock::runs {

// Attempts that spec.retry counts: not those that a node could not even begin.
int64_t counted_attempts(const contracts::Run& run);

// The wait behind the `attempt`-th attempt (counts from 1): doubles from `backoff` to `maxBackoff`.
Millis retry_delay(const contracts::RetryPolicy& policy, int64_t attempt);

// Whether spec.retry allows another attempt after this cause. Never when a caller canceled the run,
// or its deadline or the end of its gang ended it.
bool may_retry(const contracts::Run& run, contracts::RetryCause cause);

// Whether the run is not tried again after this eviction: its deadline is over, or its gang ends.
bool ends_for_good(const contracts::Eviction& eviction);

// The cause for another attempt that a placed run's outcome is, or none: its command has ended.
std::optional<contracts::RetryCause> retry_cause(const contracts::Run& run,
                                                 const contracts::RunOutcome& outcome);

// Whether the node could not begin it: the run is placed elsewhere, whatever spec.retry says. Not
// for ever: a run that nobody can begin ends with what the last node said.
bool was_refused(const contracts::Run& run, const contracts::RunOutcome& outcome);

}  // namespace paddock::runs
