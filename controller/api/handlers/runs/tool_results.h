// Answers to what an agent run asked for: POST runs/{name}/tool-results; 200 {"ok": true}.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// Nothing is written unless the id is pending in the run of the path, and then once. 400
// BAD_REQUEST; 404 RUN_NOT_FOUND; 410 GONE with details.reason run_terminal or stdin_closed.
Result<Response> answer_tool(Call& call);

}  // namespace paddock::api
