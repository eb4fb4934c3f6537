// What happened to runs, as core/v1 Events.
#pragma once

#include "controller/api/call.h"

namespace paddock::api {

Result<Response> list_events(Call& call);

}  // namespace paddock::api
