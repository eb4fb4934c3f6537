// Claims and what they are given.
#pragma once

#include "common/contracts/agent_sandbox.h"
#include "controller/api/server/call.h"

namespace paddock::api {

// Whether it has none and is to have one.
bool waits(const contracts::SandboxClaim& claim);
// Makes the Sandbox of a claim that has none, by the way of every other create. What stands against
// it is told in the claim's condition: a claim may come before its template.
Status bind_claim(const Call& call, contracts::SandboxClaim& claim);
// Binds the claims that wait in the namespace of the path.
Status bind_waiting_claims(const Call& call);

}  // namespace paddock::api
