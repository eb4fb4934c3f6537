// Credentials for people and programs: made, listed and revoked by operators.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// The only answer that has the secret: the same request with its Idempotency-Key makes no second
// token, and is told of the first without it.
Result<Response> make_access_token(Call& call);
Result<Response> list_access_tokens(Call& call);
// Ends it for the next request; open watches end within a minute. TOKEN_NOT_FOUND.
Result<Response> revoke_access_token(Call& call);

}  // namespace paddock::api
