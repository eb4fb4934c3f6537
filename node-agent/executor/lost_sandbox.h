// Tells a host which cannot set up sandboxes any more from a run whose sandbox no such host could
// set up.
#pragma once

#include <optional>

#include "common/contracts/sandbox_result.h"
#include "node-agent/executor/step.h"

namespace paddock::executor {

// The host's fault, where this result may come of it and the host has lost an ability since the run
// was accepted. Waits until the host was tried, or the run is stopped.
std::optional<Error> lost_sandbox(const StepContext& run, const contracts::SandboxResult& result);
// For a run of which it is not known what its launcher did: the host tries by itself whether it can
// still make sandboxes.
void doubt_sandbox(const ExecutorPorts& ports);

}  // namespace paddock::executor
