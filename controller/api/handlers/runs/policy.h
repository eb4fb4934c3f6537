// Why a policy says what it says, and what it would have denied.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// POST namespaces/{ns}/policy/explain with a PolicyQuestion. Without any: the
// profile of `paddock run`. RUN_NOT_FOUND, RUN_NOT_ENDED, PROFILE_UNKNOWN.
Result<Response> explain_policy(Call& call);

}  // namespace paddock::api
