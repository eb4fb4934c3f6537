// POST /mcp: the Model Context Protocol over HTTP, for agents that reach the controller and have no
// `paddock mcp` beside them. Each tool asks this API as its caller, with the caller's own token.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// One JSON-RPC message in, one out; 202 for a notification. ?namespace=NS unless the token has one.
Result<Response> serve_mcp(Call& call);

}  // namespace paddock::api
