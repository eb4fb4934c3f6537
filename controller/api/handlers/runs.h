// Runs: admission and cancel. Reading, creating, changing and deleting them is in objects.h,
// creates.h, changes.h and deletes.h.
#pragma once

#include "common/contracts/run.h"
#include "controller/api/call.h"

namespace paddock::api {

// Admission: fills in the defaults, the effective policy, the pinned tree and volumes.
// `media`: what it may have generated; see admission::admit().
Status admit_run(Services& services, contracts::Run& run, const contracts::MediaExecution& media);
Result<Response> cancel_run(Call& call);  // idempotent

}  // namespace paddock::api
