// Many runs in one request: a body of kind RunList. Each is judged as a single create is, and all
// are stored in one transaction or none is.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

inline constexpr size_t kMostRunsAtOnce = 1'000;

// POST runs: a Run, or a RunList of at most kMostRunsAtOnce of them, answered with a RunList of
// what was made, in its order. What is wrong is told of every item at once, by paths such as
// `items[17].spec.timeout`; ListRefusals says which of them names the error. With an
// Idempotency-Key the same request gives the same runs again, those that are still there.
// LIST_EMPTY, LIST_TOO_LONG, NAME_TWICE, and the refusals of single runs.
Result<Response> create_runs(Call& call);

}  // namespace paddock::api
