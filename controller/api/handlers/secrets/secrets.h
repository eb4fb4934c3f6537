// Secrets: what callers write of them is sealed, what anybody sees are names and sizes.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// POST secrets, PUT and PATCH secrets/{name}: as of every kind; of the request nothing is kept that
// would tell a value, its digest (Idempotency-Key) included.
Result<Response> create_secret(Call& call);
Result<Response> change_secret(Call& call);
// POST /admin/secret-key/rotate.
Result<Response> rotate_secret_key(Call& call);

}  // namespace paddock::api
