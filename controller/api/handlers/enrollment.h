// Nodes come, replace their credentials and go.
#pragma once

#include "controller/api/call.h"

namespace paddock::api {

// For operators: a token that enrols this node once.
Result<Response> make_enroll_token(Call& call);
// For the holder of an enrolment token.
Result<Response> enroll_node(Call& call);
// For the node itself.
Result<Response> rotate_credential(Call& call);
Result<Response> leave_node(Call& call);

// Before the handler of any route: a node's new credential ends the older one by being used.
Status settle_credential(const Call& call);

}  // namespace paddock::api
