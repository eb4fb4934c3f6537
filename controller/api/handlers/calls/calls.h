// POST nodes/{node}/calls: a node's lane; see contracts/calls.h.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> serve_node_calls(Call& call);

}  // namespace paddock::api
