#include "controller/store/tool_token_writes.h"

#include <map>
#include <optional>
#include <set>

namespace paddock::store {

using contracts::RevokeReason;
using contracts::ToolToken;

namespace {

Status revoke(WriteTxn& txn, ToolToken& token, RevokeReason reason, WallTime now) {
  if (contracts::status_at(token.status, now).phase != contracts::ToolTokenPhase::kActive)
    return {};
  token.status.phase = contracts::ToolTokenPhase::kRevoked;
  token.status.revoked_at = wire::Timestamp{now};
  token.status.reason = reason;
  return txn.update(token);
}

Result<std::vector<ToolToken>> tokens_of(WriteTxn& txn, const std::string& run_uid) {
  ASSIGN_OR_RETURN(const std::vector<Key> keys, txn.tool_tokens_of(run_uid));
  std::vector<ToolToken> tokens;
  for (const Key& key : keys) {
    // One that cannot be read authenticates nobody, and must not keep the others good.
    ASSIGN_OR_RETURN(std::optional<ToolToken> token, txn.find_readable<ToolToken>(key));
    if (token) tokens.push_back(std::move(*token));
  }
  return tokens;
}

// Adds what the chosen ones made, and what that made. A chain may be long: no recursion.
void add_descendants(const std::vector<ToolToken>& tokens, std::set<std::string>& chosen) {
  std::multimap<std::string_view, std::string_view> children;
  for (const ToolToken& each : tokens)
    if (!each.status.parent.empty()) children.emplace(each.status.parent, each.metadata.name);
  std::vector<std::string> left(chosen.begin(), chosen.end());
  while (!left.empty()) {
    const std::string parent = std::move(left.back());
    left.pop_back();
    const auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child)
      if (chosen.emplace(child->second).second) left.emplace_back(child->second);
  }
}

}  // namespace

Status revoke_tool_tokens(WriteTxn& txn, const std::string& run_uid, RevokeReason reason,
                          WallTime now, const std::function<bool(const ToolToken&)>& which) {
  ASSIGN_OR_RETURN(std::vector<ToolToken> tokens, tokens_of(txn, run_uid));
  std::set<std::string> chosen;
  for (const ToolToken& each : tokens)
    if (which(each)) chosen.insert(each.metadata.name);
  add_descendants(tokens, chosen);
  for (ToolToken& each : tokens)
    if (chosen.contains(each.metadata.name)) TRY(revoke(txn, each, reason, now));
  return {};
}

Status revoke_tool_tokens_made_by(WriteTxn& txn, const ToolToken& parent, RevokeReason reason,
                                  WallTime now) {
  ASSIGN_OR_RETURN(
      const Page<ToolToken> all,
      txn.list<ToolToken>({.name_space = parent.metadata.name_space, .leave_out = true}));
  const auto is_child = [&](const ToolToken& each) {
    return each.status.parent == parent.metadata.name;
  };
  std::set<std::string> runs;
  for (const ToolToken& each : all.items)
    if (is_child(each)) runs.insert(each.status.run_uid);
  for (const std::string& run : runs) TRY(revoke_tool_tokens(txn, run, reason, now, is_child));
  return {};
}

Status revoke_tool_token(WriteTxn& txn, ToolToken& token, RevokeReason reason, WallTime now) {
  TRY(revoke_tool_tokens(txn, token.status.run_uid, reason, now, [&](const ToolToken& each) {
    return each.metadata.name == token.metadata.name;
  }));
  ASSIGN_OR_RETURN(token, txn.get<ToolToken>({token.metadata.name_space, token.metadata.name}));
  return {};
}

}  // namespace paddock::store
