// A question to the agent that has a run.
#pragma once

#include "common/contracts/run.h"
#include "controller/api/server/call.h"
#include "controller/calls/relay.h"

namespace paddock::api {

// The agent's answer to `options`, which say what is asked and how long it may take; whose it is
// and where it goes is filled in. The relay's errors: CALL_UNKNOWN of an agent of an earlier
// release, NO_NODE, …
Result<wire::Value> ask_agent_of(const Call& call, const contracts::Run& run,
                                 calls::CallOptions options);

}  // namespace paddock::api
