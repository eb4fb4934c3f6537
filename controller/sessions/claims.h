// The claim that a session was made for says what becomes of the session: so whoever waits for the
// claim hears of it.
#pragma once

#include "common/contracts/sandbox.h"
#include "controller/store/store.h"

namespace paddock::sessions {

// Before it is stored: its claim is there and stays. NotFound, SANDBOX_NOT_FOUND.
Status check_claim(store::ReadTxn& txn, const contracts::Sandbox& session);
// Of a session as it was just stored. A claim that goes with its session goes once its time is
// over.
Status tell_claim(store::WriteTxn& txn, const contracts::Sandbox& session);
// Of one that is no more, though its claim is.
Status tell_claim_of_loss(store::WriteTxn& txn, const contracts::Sandbox& session);

}  // namespace paddock::sessions
