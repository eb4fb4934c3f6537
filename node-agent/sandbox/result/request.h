// A launch request as it comes in, and the run that answers it with a result frame.
#pragma once

#include <functional>

#include "common/contracts/launch.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/result/event_writer.h"

namespace paddock::sandbox {

// Reads all of `file`. INVALID_… as the decoder says.
Result<contracts::LaunchRequest> read_request(const os::Fd& file);

using Launch = std::function<contracts::SandboxResult(const contracts::LaunchRequest&)>;
// Writes the result frame, also for a request that could not be read. An error only if nobody can
// read the events.
Status answer(const Result<contracts::LaunchRequest>& request, EventWriter& events,
              const Launch& launch);

}  // namespace paddock::sandbox
