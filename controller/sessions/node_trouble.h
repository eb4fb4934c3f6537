// What a session's node is in while no command can be relied on: it is away, has a fault or was
// removed. The session's condition kNodeTrouble says so, for lists and watches, which see the
// session alone.
#pragma once

#include <optional>
#include <string>

#include "common/contracts/node.h"
#include "common/contracts/sandbox.h"
#include "controller/store/store.h"

namespace paddock::sessions {

// `node`: null if it was removed. Nothing: it is well.
std::optional<contracts::Condition> trouble_of(const std::string& name,
                                               const contracts::Node* node);
// Makes it the session's condition, or takes that away.
void put_trouble(contracts::Sandbox& session, std::optional<contracts::Condition> trouble);
// The same in the store, and for the session's claim. A session that knows its node's trouble by
// its reason is not written again.
Status tell_trouble(store::WriteTxn& txn, contracts::Sandbox session,
                    std::optional<contracts::Condition> trouble, WallTime now);

}  // namespace paddock::sessions
