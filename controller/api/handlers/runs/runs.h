// Runs: admission and cancel. Reading, creating, changing and deleting them is in objects.h,
// creates.h, changes.h and deletes.h.
#pragma once

#include "common/contracts/run.h"
#include "common/contracts/tree.h"
#include "controller/api/server/call.h"

namespace paddock::api {

// Admission: fills in the defaults, the effective policy, the pinned tree and volumes.
// `media`: what it may have generated; see admission::admit().
Status admit_run(Services& services, contracts::Run& run, const contracts::MediaExecution& media);
// What a submission of it would be told before anything is stored. A run that names no workspace is
// looked at as if one of these files had been made for it; nullptr: nobody knows them yet.
Status admit_planned(Services& services, contracts::Run& run, const contracts::Tree* files);
Result<Response> cancel_run(Call& call);  // idempotent

}  // namespace paddock::api
