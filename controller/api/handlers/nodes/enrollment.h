// Nodes come, replace their credentials and go.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// For operators: a token that enrols this node once.
Result<Response> make_enroll_token(Call& call);
// For the holder of an enrolment token.
Result<Response> enroll_node(Call& call);
// For the node itself.
Result<Response> rotate_credential(Call& call);
Result<Response> leave_node(Call& call);

}  // namespace paddock::api
