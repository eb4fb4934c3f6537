// Refuses fields of a run that do not go together with spec.array or spec.nodes. Pure.
#pragma once

#include "common/contracts/run.h"
#include "controller/admission/refusals.h"

namespace paddock::admission {

// ARRAY_NOT_SUPPORTED; of a gang GANG_NOT_SUPPORTED, GANG_NETWORK_UNAVAILABLE. Nothing of a run
// that is neither.
void check_array(const contracts::RunSpec& spec, Refusals& out);

}  // namespace paddock::admission
