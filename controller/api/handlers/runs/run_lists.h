// Many runs in one request: a body of kind RunList. Each is judged as a single create is, and all
// are stored in one transaction or none is.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

inline constexpr size_t kMostRunsAtOnce = 1'000;

// POST runs: takes a Run, or a RunList of at most kMostRunsAtOnce of them, and answers with a
// RunList of the new runs, in the same order. Mistakes of all items are named at once, by paths
// such as `items[17].spec.timeout`; ListRefusals decides which of them gives the error's code. With
// an Idempotency-Key the same request gives the same runs again, as far as they still exist.
// LIST_EMPTY, LIST_TOO_LONG, NAME_TWICE, and the refusals of single runs.
Result<Response> create_runs(Call& call);

}  // namespace paddock::api
