// GET /audit/chain and /audit/checkpoint: the audit log as it is verified. The answer covers all
// namespaces together: a part of a chain proves nothing, and with the digests of records that they
// may not read, callers could check what they guessed of them.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// Query: after (an id), limit. PARAMETER_INVALID.
Result<Response> read_audit_chain(Call& call);
// The newest record's place and the last forgotten one's, signed by the key of receipts.
Result<Response> make_audit_checkpoint(Call& call);

}  // namespace paddock::api
