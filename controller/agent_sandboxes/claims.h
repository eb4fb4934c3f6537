// Makes what a SandboxClaim is given: a Sandbox of the same name, made of a template. Pure.
#pragma once

#include "common/contracts/agent_sandbox.h"
#include "common/contracts/sandbox.h"

namespace paddock::agent_sandboxes {

// The name in the claim: of a pool or, where there is no pool of that name, of a template.
std::string wanted_pool(const contracts::SandboxClaim& claim);
std::string template_of(const contracts::SandboxWarmPool& pool);

// The Sandbox for it, as a document. FailedPrecondition (FIELD_NOT_SERVED) where the claim sets
// variables that the template does not let it set.
Result<wire::Value> sandbox_for(const contracts::SandboxClaim& claim,
                                const contracts::SandboxTemplate& made_of);
// Whether the template says that nothing is reached: then not even what the image's profile allows.
bool denies_network(const contracts::SandboxTemplate& made_of);

// The status of a claim that has this session, and of a claim that has none: not yet, never, or not
// any more.
contracts::SandboxClaimStatus bound(const contracts::Sandbox& session);
contracts::SandboxClaimStatus unbound(std::string_view reason, std::string message);
// The status of a claim whose session was deleted at `now`.
contracts::SandboxClaimStatus lost(const contracts::Sandbox& session, WallTime now);
bool is_bound(const contracts::SandboxClaim& claim);
// Whether it goes with its session, once the time of that is over.
bool goes_with_its_session(const contracts::SandboxClaim& claim);

// A pool holds nothing: what it says of itself.
wire::Value pool_status();

// Gives each condition of a claim or a pool that is shown the time that clients of Kubernetes
// require in it. One without a time has been so since its object was made.
void add_times(wire::Value& object);

}  // namespace paddock::agent_sandboxes
