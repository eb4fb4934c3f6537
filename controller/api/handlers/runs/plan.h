// What would happen to a run, without creating it.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> plan_run(Call& call);

}  // namespace paddock::api
