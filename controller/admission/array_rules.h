// What does not go together with spec.array. Pure.
#pragma once

#include "common/contracts/run.h"
#include "controller/admission/refusals.h"

namespace paddock::admission {

// ARRAY_NOT_SUPPORTED. Nothing of a run that is no array.
void check_array(const contracts::RunSpec& spec, Refusals& out);

}  // namespace paddock::admission
