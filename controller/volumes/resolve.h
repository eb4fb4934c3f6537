// Finds the trees for the names and versions of a new run's volumes, once, when the run is created.
#pragma once

#include <vector>

#include "controller/store/store.h"
#include "controller/volumes/publish.h"

namespace paddock::volumes {

// In the run's own namespace and in no other. FailedPrecondition at the field: VOLUME_NOT_FOUND,
// VOLUME_VERSION_NOT_FOUND.
Result<std::vector<contracts::MountedVolume>> resolve(store::ReadTxn& txn,
                                                      const contracts::Run& run);

// Whether run.spec.publish may be made, should it not be there: ResourceExhausted (VOLUME_LIMIT).
// Asked when the run is created, so that nobody computes in vain, and again when it publishes.
Status check_room(store::ReadTxn& txn, const contracts::Run& run, const VolumeLimits& limits);

}  // namespace paddock::volumes
