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
// It was canceled, and its launcher was gone without a result: killed, as it did not obey.
contracts::RunOutcome outcome_of_canceled_without_result();
// Its launcher did not end it at the limit of time, and was killed with it.
contracts::RunOutcome outcome_of_overdue();
// Its output could not be read any more, and so it was ended.
contracts::RunOutcome outcome_of_unreadable(const Error& why);
// It was ended for others, as the disk was full and it had written more than it asked for.
contracts::RunOutcome outcome_of_disk(const std::string& why,
                                      const std::optional<contracts::SandboxResult>& result);

}  // namespace paddock::executor
