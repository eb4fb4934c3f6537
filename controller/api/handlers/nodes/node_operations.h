// What operators do to nodes: cordon, uncordon, drain, taint.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> cordon_node(Call& call);
Result<Response> uncordon_node(Call& call);
Result<Response> drain_node(Call& call);
Result<Response> get_drain(Call& call);
Result<Response> taint_node(Call& call);

}  // namespace paddock::api
