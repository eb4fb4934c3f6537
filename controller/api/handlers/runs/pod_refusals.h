// Refuses what kubectl can ask of a pod and a run does not have. Each refusal names the way that
// works.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// `kubectl attach` and `kubectl port-forward`. NotFound (ROUTE_NOT_FOUND), before a WebSocket or
// anything else begins: kubectl shows the message.
Result<Response> refuse_attach(Call& call);
Result<Response> refuse_port_forward(Call& call);

}  // namespace paddock::api
