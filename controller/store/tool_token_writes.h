// The end of tool tokens: with their run, with its stream, with their parent, or by hand.
#pragma once

#include <functional>

#include "controller/store/store.h"

namespace paddock::store {

// Ends the active ones among a run's tool tokens that `which` chooses, and what they made. Ending
// one again changes nothing: its first reason stays.
Status revoke_tool_tokens(WriteTxn& txn, const std::string& run_uid, contracts::RevokeReason reason,
                          WallTime now,
                          const std::function<bool(const contracts::ToolToken&)>& which);
// Ends those that a token made, and what these made, where of the token itself only the name is
// known.
Status revoke_tool_tokens_made_by(WriteTxn& txn, const contracts::ToolToken& parent,
                                  contracts::RevokeReason reason, WallTime now);
// Ends one, and what it made.
Status revoke_tool_token(WriteTxn& txn, contracts::ToolToken& token, contracts::RevokeReason reason,
                         WallTime now);

}  // namespace paddock::store
