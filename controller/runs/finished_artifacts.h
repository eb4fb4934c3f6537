// Files of a run that its node sends while the run lives: its checkpoints. Pure.
#pragma once

#include "common/base/result.h"
#include "common/contracts/finished_artifacts.h"
#include "common/contracts/run.h"

namespace paddock::runs {

// Adds them to status.artifacts; a path that is there, also of an earlier attempt, has the newest
// from then on. Conflict (STALE_ATTEMPT), FailedPrecondition (RUN_FINISHED) for a run that is over,
// InvalidArgument (ARTIFACT_INVALID) for what can be no file of a tree, TooLarge
// (TOO_MANY_ARTIFACTS).
Status add_finished(contracts::Run& run, const contracts::FinishedArtifacts& finished);

}  // namespace paddock::runs
