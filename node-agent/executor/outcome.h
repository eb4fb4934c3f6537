// How a run's end is told: a stable reason and a sentence. Pure.
#pragma once

#include "common/contracts/session.h"

namespace paddock::executor {

// OK is Succeeded, CANCELED is Canceled, everything else is Failed with a reason of its own.
contracts::RunOutcome outcome_of(const contracts::SandboxResult& result);
// The command was never started, or nobody knows: `error` says why. A cancel explains any error.
contracts::RunOutcome outcome_of_error(const Error& error, bool cancel_requested);
// The launcher vanished without a result.
contracts::RunOutcome outcome_of_lost_launcher(bool command_started);

}  // namespace paddock::executor
