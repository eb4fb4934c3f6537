// Finds out whose fault it is that a sandbox could not be set up: the host's, which has lost the
// ability, or the run's.
#pragma once

#include <optional>

#include "common/contracts/sandbox_result.h"
#include "node-agent/executor/step.h"

namespace paddock::executor {

// The host's fault, if it can explain this result and the host has lost an ability since the run
// was accepted; else nothing. Waits until the host has been tried, or the run is stopped.
std::optional<Error> lost_sandbox(const StepContext& run, const contracts::SandboxResult& result);
// Makes the host try whether it can still set up sandboxes. For a run whose launcher left no
// result.
void doubt_sandbox(const ExecutorPorts& ports);

}  // namespace paddock::executor
