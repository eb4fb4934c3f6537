// As whom E2B's tools want something done: the name in `Authorization: Basic`, of files in
// ?username. There is one user.
#pragma once

#include "controller/api/server/http.h"

namespace paddock::api {

// FailedPrecondition (E2B_NOT_SERVED) for another name than `user`.
Status check_e2b_user(const Request& request);

}  // namespace paddock::api
