#include "controller/sessions/claims.h"

#include "controller/agent_sandboxes/claims.h"

namespace paddock::sessions {
namespace {

using contracts::Sandbox;
using contracts::SandboxClaim;

store::Key claim_key(const Sandbox& session) {
  return {session.metadata.name_space, session.status.claim};
}

// What cannot be read is told nothing: a node's trouble concerns others too.
Result<std::optional<SandboxClaim>> claim_of(store::ReadTxn& txn, const Sandbox& session) {
  if (session.status.claim.empty()) return std::optional<SandboxClaim>();
  return txn.find_readable<SandboxClaim>(claim_key(session));
}

}  // namespace

Status check_claim(store::ReadTxn& txn, const Sandbox& session) {
  if (session.status.claim.empty()) return {};
  ASSIGN_OR_RETURN(const auto claim, txn.find<SandboxClaim>(claim_key(session)));
  if (claim && !claim->metadata.deletion_timestamp) return {};
  return Error{Code::kNotFound, "SANDBOX_NOT_FOUND",
               "the SandboxClaim was deleted before its Sandbox was made"};
}

Status tell_claim(store::WriteTxn& txn, const Sandbox& session) {
  ASSIGN_OR_RETURN(auto claim, claim_of(txn, session));
  if (!claim) return {};
  const bool over = session.status.phase == contracts::SandboxPhase::kEnded &&
                    session.status.reason == Reason("LIFETIME_OVER");
  if (over && agent_sandboxes::goes_with_its_session(*claim) && claim->metadata.finalizers.empty())
    return txn.erase<SandboxClaim>({claim->metadata.name_space, claim->metadata.name});
  claim->status = agent_sandboxes::bound(session);
  return txn.update(*claim);
}

Status tell_claim_of_loss(store::WriteTxn& txn, const Sandbox& session, WallTime now) {
  ASSIGN_OR_RETURN(auto claim, claim_of(txn, session));
  if (!claim) return {};
  claim->status = agent_sandboxes::lost(session, now);
  return txn.update(*claim);
}

}  // namespace paddock::sessions
