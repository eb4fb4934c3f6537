// The first steps of every request about a session's commands or files, and the call to its node.
#pragma once

#include <optional>
#include <vector>

#include "common/contracts/audit.h"
#include "common/contracts/session_calls.h"
#include "controller/api/server/call.h"
#include "controller/calls/relay.h"

namespace paddock::api {

// The operator's profile for sessions. Internal, PROFILE_MISSING.
Result<contracts::Profile> session_profile(const Services& services);
// The session in the path. SANDBOX_NOT_FOUND, SESSION_ENDED.
Result<contracts::Sandbox> live_session(Call& call);
// The body, at most the session's rpcBytes: TooLarge, E_LIMIT_RPC, before anything is parsed.
Result<std::string> read_session_body(Call& call, const contracts::Sandbox& session);

// Where the session's node could not do something for a fault of its own: that fault, if the node
// has told of one.
std::optional<Error> told_fault(const Services& services, const contracts::Sandbox& session,
                                const Error& error);
// Opens it on its node, if that was not done. Idempotent. `caller`: whose share of what waits for
// nodes it counts for.
Status open_session(Services& services, contracts::Sandbox& session, const auth::Principal& caller);
// Soon on the disk: what was done with it, and that it was used just now and will be while a
// command of it is under way. The number of that write; an error while nothing can be recorded.
Result<uint64_t> note_session(Services& services, const contracts::Sandbox& session,
                              std::vector<contracts::AuditEvent> events);
// One call to the session's node. A session that the node has lost ends here: SESSION_ENDED.
Result<wire::Value> call_session(Services& services, const contracts::Sandbox& session,
                                 calls::CallOptions options);

}  // namespace paddock::api
