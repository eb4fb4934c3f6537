#include "controller/nodes/credentials.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/enrollment.h"
#include "common/crypto/digest.h"

namespace paddock::nodes {

namespace {

using store::TokenRecord;

std::string user_setting(const std::string& token_id) { return cat(store::kTokenUse, token_id); }

Result<std::vector<TokenRecord>> good_tokens(store::ReadTxn& txn, const std::string& subject) {
  ASSIGN_OR_RETURN(std::vector<TokenRecord> tokens, txn.tokens());
  std::erase_if(tokens, [&](const auto& each) { return each.subject != subject || each.revoked; });
  return tokens;
}

Status revoke(store::WriteTxn& txn, TokenRecord token) {
  token.revoked = true;
  return txn.put_token(token);
}

// Whether it is still the credential of a node that may go on with it.
Status check_calling(const std::vector<TokenRecord>& tokens, const std::string& calling) {
  const auto found = std::ranges::find(tokens, calling, &TokenRecord::id);
  if (found == tokens.end())
    return Error{Code::kUnauthenticated, "TOKEN_REVOKED", "this token was revoked"};
  if (!found->expires_ms) return {};
  return Error{Code::kPermissionDenied, "CREDENTIAL_REPLACED",
               "this credential was replaced; only the node's newest one can be replaced again"};
}

}  // namespace

Status revoke_tokens(store::WriteTxn& txn, const std::string& subject) {
  ASSIGN_OR_RETURN(const auto tokens, good_tokens(txn, subject));
  for (const TokenRecord& token : tokens) TRY(revoke(txn, token));
  return {};
}

Status put_enroll_token(store::Store& store, const std::string& node,
                        const auth::MintedToken& token, WallTime expires, const Record& record) {
  TRY(check_node_name(node));
  TokenRecord stored;
  stored.id = token.id;
  stored.hash = token.hash;
  stored.subject = auth::enroll_subject(node);
  stored.scopes = auth::enroll_scopes();
  stored.expires_ms = expires.ms;
  return store.write([&](store::WriteTxn& txn) -> Status {
    TRY(revoke_tokens(txn, stored.subject));
    TRY(txn.put_token(stored));
    return record ? record(txn) : Status();
  });
}

Status use_enroll_token(store::WriteTxn& txn, const std::string& token_id, const std::string& node,
                        const std::string& identity) {
  ASSIGN_OR_RETURN(const auto tokens, good_tokens(txn, auth::enroll_subject(node)));
  const bool good = std::ranges::find(tokens, token_id, &TokenRecord::id) != tokens.end();
  ASSIGN_OR_RETURN(const auto user, txn.setting(user_setting(token_id)));
  const std::string hash = crypto::sha256_hex(identity);
  if (!good || (user && !crypto::equal_constant_time(*user, hash)))
    return auth::enroll_token_over(auth::kEnrollTokenSpent, node);
  return user ? Status() : txn.put_setting(user_setting(token_id), hash);
}

Status rotate(store::Store& store, const std::string& node, const std::string& calling,
              const auth::MintedToken& fresh, const Record& record) {
  TokenRecord next;
  next.id = fresh.id;
  next.hash = fresh.hash;
  next.subject = auth::node_subject(node);
  next.scopes = auth::node_scopes();
  next.scopes.emplace_back(auth::kFreshCredential);
  return store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto exists, txn.get<contracts::Node>({"", node}));
    ASSIGN_OR_RETURN(const auto tokens, good_tokens(txn, next.subject));
    TRY(check_calling(tokens, calling));
    for (const TokenRecord& each : tokens) {
      if (each.id != calling && auth::is_fresh(each.scopes)) TRY(revoke(txn, each));
    }
    TRY(txn.put_token(next));
    return record ? record(txn) : Status();
  });
}

Status settle(store::Store& store, const std::string& node, const std::string& calling,
              WallTime now, const Record& record) {
  return store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto tokens, good_tokens(txn, auth::node_subject(node)));
    TRY(check_calling(tokens, calling));
    const auto used = std::ranges::find(tokens, calling, &TokenRecord::id);
    if (!auth::is_fresh(used->scopes)) return {};  // another request was first
    for (TokenRecord each : tokens) {
      if (each.id == calling) {
        each.scopes = auth::node_scopes();
        TRY(txn.put_token(each));
      } else if (!each.expires_ms) {
        each.expires_ms = (now + contracts::kCredentialOverlap).ms;
        TRY(txn.put_token(each));
      }
    }
    return record ? record(txn) : Status();
  });
}

}  // namespace paddock::nodes
