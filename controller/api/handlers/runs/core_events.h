// What happened to runs, as core/v1 Events.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> list_events(Call& call);
// One by its name: an object, a table or metadata. EVENT_NOT_FOUND.
Result<Response> get_event(Call& call);

}  // namespace paddock::api
