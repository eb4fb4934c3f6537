// Grants: which ones a run is bound by, and why they allow something or do not.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// Finds the grants of an admitted run, which are those that it names or its creator's, and writes
// them into it. Refuses it unless they give what it asks for and what its sandbox would let it use,
// and unless it fits into the quota of its namespace by itself. GRANT_NOT_FOUND,
// GRANT_CHAIN_INVALID, GRANT_NOT_YOURS, GRANT_DENIED, QUOTA_TOO_SMALL.
// `all`: all grants of the run's namespace.
Status pin_grants(store::ReadTxn& txn, const std::vector<contracts::Grant>& all,
                  contracts::Run& run, WallTime now);
// Checks that a grant which has a parent allows no more than it: GRANT_NOT_NARROWER.
Status check_part(Services& services, const contracts::Grant& grant);

// POST grants/{name}/explain with a GrantQuestion: each rule that was looked at.
Result<Response> explain_grant(Call& call);

}  // namespace paddock::api
