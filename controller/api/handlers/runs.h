// Runs: create, delete, cancel. Reading them is in objects.h.
#pragma once

#include "common/contracts/run.h"
#include "controller/api/call.h"

namespace paddock::api {

// Admission: fills in the defaults, the effective policy and the pinned tree.
Status admit_run(Call& call, contracts::Run& run);
Result<Response> create_run(Call& call);
Result<Response> delete_run(Call& call);  // RUN_ACTIVE unless it has ended
Result<Response> cancel_run(Call& call);  // idempotent

}  // namespace paddock::api
