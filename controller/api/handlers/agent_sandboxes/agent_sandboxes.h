// Writing Sandboxes of agents.x-k8s.io. A refusal names the fields of their documents.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> create_agent_sandbox(Call& call);
Result<Response> change_agent_sandbox(Call& call);
Result<Response> destroy_agent_sandbox(Call& call);

}  // namespace paddock::api
