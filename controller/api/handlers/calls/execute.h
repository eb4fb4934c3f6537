// POST /execute: a caller's snippet, run on a node that has a lane open, answered at once. Nothing
// of it is stored but a record in the audit log. And what its own port answers beside it.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> execute_code(Call& call);
Result<Response> execute_health(Call& call);   // healthy only if a node takes snippets
Result<Response> execute_service(Call& call);  // what this port is

}  // namespace paddock::api
