// Takes reports of pools about runs that wait for them.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// PUT runs/{name}/pools/{pool}. RUN_NOT_PENDING: it does not wait any more.
Result<Response> put_pool_report(Call& call);

}  // namespace paddock::api
