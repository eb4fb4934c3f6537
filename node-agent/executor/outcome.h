// How a run's end is told: a stable reason and a sentence. Pure.
#pragma once

#include "common/base/reason.h"
#include "common/contracts/sync.h"

namespace paddock::executor {

// OK is Succeeded, CANCELED is Canceled, everything else is Failed with a reason of its own.
contracts::RunOutcome outcome_of(const contracts::SandboxResult& result);
// The command was never started, or nobody knows: `error` says why. A cancel explains any error.
contracts::RunOutcome outcome_of_error(const Error& error, bool cancel_requested);
// The launcher vanished without a result.
// `fault`: of the node's disk, where that is why.
contracts::RunOutcome outcome_of_lost_launcher(bool command_started,
                                               const std::optional<Error>& fault = {});
// For a run that was canceled, and whose launcher is gone without a result: it did not obey and was
// killed.
contracts::RunOutcome outcome_of_canceled_without_result();
// For a run that its launcher did not end at the limit of time, so that both were killed.
contracts::RunOutcome outcome_of_overdue(const contracts::SandboxPolicy& policy);
// For a run that was ended because its output could not be read any more.
contracts::RunOutcome outcome_of_unreadable(const Error& why);
// For a run that was ended in favour of others: the disk was full, and it had written more than it
// asked for.
contracts::RunOutcome outcome_of_disk(const std::string& why,
                                      const std::optional<contracts::SandboxResult>& result);

}  // namespace paddock::executor
