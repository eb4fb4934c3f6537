// How long to wait before trying again what failed. Pure: the caller keeps the count and waits.
#pragma once

#include "common/base/random.h"
#include "common/base/units.h"

namespace paddock {

// The wait after the `failed`-th failure in a row (counts from 1). It doubles from 0.2 s up to 5 s,
// and is drawn evenly from the upper half of that ("equal jitter"): those that failed at the same
// moment do not come back at the same moment, and none of them at once.
Millis backoff(int failed, Random& random);

}  // namespace paddock
