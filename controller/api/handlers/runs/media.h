// Media for a run: POST runs/{name}/media with a MediaRequest; 202 and the task.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> generate_media(Call& call);

}  // namespace paddock::api
