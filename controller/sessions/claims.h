// The claim that a session was made for says what becomes of the session: so those who wait for the
// claim hear of it.
#pragma once

#include "common/contracts/sandbox.h"
#include "controller/store/store.h"

namespace paddock::sessions {

// Before it is stored: its claim is there and stays. NotFound, SANDBOX_NOT_FOUND.
Status check_claim(store::ReadTxn& txn, const contracts::Sandbox& session);
// Writes the state of a session, as it was just stored, to its claim. If the claim is to go with
// its session, it goes once the session's time is over.
Status tell_claim(store::WriteTxn& txn, const contracts::Sandbox& session);
// Tells the claim that its session is gone.
Status tell_claim_of_loss(store::WriteTxn& txn, const contracts::Sandbox& session, WallTime now);

}  // namespace paddock::sessions
