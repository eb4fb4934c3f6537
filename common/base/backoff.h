// How long to wait before trying again what failed. Pure: the caller keeps the count and waits.
#pragma once

#include "common/base/random.h"
#include "common/base/units.h"

namespace paddock {

// The wait after the `failed`-th failure in a row (counts from 1). It doubles from 0.2 s up to 5 s,
// and is drawn evenly from the upper half of that ("equal jitter"): those that failed at the same
// moment do not come back at the same moment, and none of them at once.
//
// Where several may be asked, another one may answer by now: for the first 30 failures, some twenty
// seconds, it is 1 s at most. So who has lost its server is with the next one soon after it leads.
enum class Servers { kOne, kSeveral };
Millis backoff(int failed, Random& random, Servers servers = Servers::kOne);
// The longest of those waits.
Millis longest_backoff(int failed, Servers servers);

}  // namespace paddock
