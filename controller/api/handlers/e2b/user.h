// The user that E2B's tools name for a request, in `Authorization: Basic` or, for files, in
// ?username. There is only one user.
#pragma once

#include "controller/api/server/http.h"

namespace paddock::api {

// FailedPrecondition (E2B_NOT_SERVED) for another name than `user`.
Status check_e2b_user(const Request& request);

}  // namespace paddock::api
