// Runs: delete and cancel. Reading, creating and changing them is in objects.h, creates.h and
// changes.h.
#pragma once

#include "common/contracts/run.h"
#include "controller/api/call.h"

namespace paddock::api {

// Admission: fills in the defaults, the effective policy, the pinned tree and volumes.
Status admit_run(Services& services, contracts::Run& run);
Result<Response> delete_run(Call& call);  // RUN_ACTIVE unless it has ended
Result<Response> cancel_run(Call& call);  // idempotent

}  // namespace paddock::api
