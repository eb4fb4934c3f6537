#include "controller/api/handlers/access/access_tokens.h"

#include <algorithm>
#include <optional>

#include "common/contracts/access_token.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/authenticate.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/idempotency.h"
#include "controller/auth/token.h"
#include "controller/calls/relay.h"

namespace paddock::api {
namespace {

using contracts::AccessToken;
using store::TokenRecord;

// Whether the token is one for people and programs, as opposed to hosts.
bool is_access_token(const TokenRecord& token) { return auth::check_scopes(token.scopes, "").ok(); }

AccessToken shown(const TokenRecord& token) {
  AccessToken out;
  out.id = token.id;
  out.subject = token.subject;
  out.scopes = token.scopes;
  out.name_space = token.name_space;
  if (token.expires_ms) out.expires_at = wire::Timestamp{WallTime{*token.expires_ms}};
  return out;
}

Status record_token(store::WriteTxn& txn, const Call& call, std::string_view type,
                    const TokenRecord& token) {
  contracts::ObjectMeta meta;
  meta.name = token.id;
  meta.name_space = token.name_space;
  return record(txn, call, type, "tokens", meta,
                {{"for", token.subject}, {"scopes", join(token.scopes, " ")}});
}

// The token that an earlier request with this key made, whatever has become of it since.
Result<std::optional<TokenRecord>> earlier_token(store::ReadTxn& txn, const IdempotencyKey& key) {
  ASSIGN_OR_RETURN(const std::vector<std::string> ids, earlier_creates(txn, key));
  if (ids.empty()) return std::optional<TokenRecord>();
  ASSIGN_OR_RETURN(const std::vector<TokenRecord> tokens, txn.tokens());
  const auto found = std::ranges::find(tokens, ids.front(), &TokenRecord::id);
  if (found == tokens.end()) return std::optional<TokenRecord>();
  return std::optional(*found);
}

}  // namespace

Result<Response> make_access_token(Call& call) {
  ASSIGN_OR_RETURN(const IdempotencyKey key, idempotency_key(call));
  ASSIGN_OR_RETURN(const auto request, decode_body<contracts::AccessTokenRequest>(call.body));
  TRY(auth::check_scopes(request.scopes, request.name_space));
  TRY(auth::check_giver(call.principal, request.scopes));
  const auth::MintedToken minted =
      auth::mint_token(call.services.random, contracts::kAccessTokenPrefix);
  TokenRecord token = token_record(minted, request.subject, request.scopes);
  token.name_space = request.name_space;
  token.expires_ms = (call.now() + request.ttl.value).ms;
  std::optional<TokenRecord> earlier;
  const Status stored = call.services.store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(earlier, earlier_token(txn, key));
    if (earlier) return {};
    TRY(txn.put_token(token));
    TRY(record_token(txn, call, contracts::audit::kTokenCreate, token));
    return remember_create(txn, key, token.id);
  });
  TRY(stored);
  if (earlier) return object_response(shown(*earlier));  // only its hash is kept
  AccessToken answer = shown(token);
  answer.token = minted.secret;
  return secret_response(wire::encode(answer));
}

Result<Response> list_access_tokens(Call& call) {
  std::vector<TokenRecord> tokens;
  const Status read = call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(tokens, txn.tokens());
    return {};
  });
  TRY(read);
  contracts::AccessTokenList list;
  for (const TokenRecord& each : tokens) {
    const bool over = each.revoked || (each.expires_ms && *each.expires_ms <= call.now().ms);
    if (is_access_token(each) && !over) list.items.push_back(shown(each));
  }
  return object_response(list);
}

Result<Response> revoke_access_token(Call& call) {
  AccessToken answer;
  const Status revoked = call.services.store.write_freeing([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(std::vector<TokenRecord> tokens, txn.tokens());
    const auto found = std::ranges::find(tokens, call.param("id"), &TokenRecord::id);
    if (found == tokens.end() || !is_access_token(*found))
      return Error{Code::kNotFound, "TOKEN_NOT_FOUND", "there is no such token"};
    TRY(auth::check_giver(call.principal, found->scopes));
    answer = shown(*found);
    if (found->revoked) return {};
    found->revoked = true;
    TRY(txn.put_token(*found));
    return record_token(txn, call, contracts::audit::kTokenRevoke, *found);
  });
  TRY(revoked);
  call.services.calls->stop_of(
      answer.id);  // commands in runs and sessions, which could go on for long
  return object_response(answer);
}

}  // namespace paddock::api
