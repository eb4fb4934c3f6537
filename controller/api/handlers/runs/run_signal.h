// Gives the command of a run a signal while it runs.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// POST runs/{name}/signal with a SignalRequest. RUN_NOT_RUNNING; RUN_EXEC_UNSUPPORTED of a node or
// a launcher that passes none on; NO_NODE and others of a node that is away. It is recorded before
// it is sent: whether it arrived, the answer says.
Result<Response> signal_run(Call& call);

}  // namespace paddock::api
