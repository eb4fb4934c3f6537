// GET /audit and …/namespaces/{ns}/audit: what happened, oldest first.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// Query: namespace, type, subject, session, since (RFC 3339), after (an id), limit. Without `after`
// the newest that match. PARAMETER_INVALID.
Result<Response> list_audit(Call& call);

}  // namespace paddock::api
