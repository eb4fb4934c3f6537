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
// Checks a run as its submission would, without storing anything. A run that names no workspace is
// checked as if it had one with these files; nullptr: the files are not known yet.
Status admit_planned(Services& services, contracts::Run& run, const contracts::Tree* files);
Result<Response> cancel_run(Call& call);  // idempotent

}  // namespace paddock::api
