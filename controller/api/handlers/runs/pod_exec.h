// `kubectl exec`: a command in a run's sandbox, as in a pod's container, over a WebSocket. The
// command is one of run_commands.h in all it may and is bounded by.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// 101, and then the channels of controller/k8s/exec_channels.h. What is wrong with the request is
// answered before that: RUN_NOT_FOUND, RUN_NOT_RUNNING, PARAMETER_INVALID, and last HEADER_INVALID
// where no WebSocket is asked for, as by kubectl before 1.30. What is met later is the Status at
// the end.
Result<Response> exec_in_pod(Call& call);

}  // namespace paddock::api
