#include "controller/api/server/authenticate.h"

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "controller/api/server/audit_writer.h"
#include "controller/auth/tool_token.h"
#include "controller/nodes/credentials.h"

namespace paddock::api {
namespace {

// A tool token whose run was removed is still recognised and refused everything, so that its holder
// learns why.
Status keep_if_orphan(store::ReadTxn& txn, contracts::ToolToken& token) {
  if (token.status.reason != contracts::RevokeReason::kChildExit) return {};
  const auto run = txn.run_by_uid(token.status.run_uid);
  if (run.ok()) return {};
  if (run.error().code != Code::kNotFound) return run.error();
  token.status.revoked_at.reset();
  return {};
}

// Looked up by its hash: how long that takes tells nothing of the secret (auth/token.h). The hash
// is compared once more, so that nothing depends on how the index compares.
Result<auth::Principal> holder_of(const std::string& secret, store::Store& store, WallTime now) {
  const std::string hash = auth::token_hash(secret);
  std::optional<contracts::ToolToken> token;
  TRY(store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto found, txn.tool_secret(hash));
    if (!found || !crypto::equal_constant_time(found->hash, hash)) return {};
    ASSIGN_OR_RETURN(token, txn.find<contracts::ToolToken>(found->token));
    return token ? keep_if_orphan(txn, *token) : Status();
  }));
  return auth::authenticate_tool(token, now);
}

}  // namespace

Result<std::string> secret_of(const Request& request) {
  if (!request.segments.empty() && request.segments[0] == kE2bPrefix) {
    for (const char* header : {"x-access-token", "x-api-key"}) {
      const std::string key = request.header(header);
      if (!key.empty()) return auth::bearer_secret(cat("Bearer ", key));
    }
  }
  return auth::bearer_secret(request.header("authorization"));
}

Result<auth::Principal> holder_of_token(const std::string& hash, store::Store& store,
                                        WallTime now) {
  ASSIGN_OR_RETURN(const auto record, store.token_by_hash(hash));
  if (!record) return auth::authenticate(std::nullopt, now);
  return auth::authenticate(
      auth::Credential{record->id, record->subject, record->scopes, record->name_space,
                       record->expires_ms, record->revoked},
      now);
}

Result<auth::Principal> principal_of(const Request& request, store::Store& store, WallTime now) {
  ASSIGN_OR_RETURN(const std::string secret, secret_of(request));
  return holder_of_secret(secret, store, now);
}

Result<auth::Principal> holder_of_secret(const std::string& secret, store::Store& store,
                                         WallTime now) {
  if (secret.empty()) return auth::anonymous();
  if (auth::is_tool_secret(secret)) return holder_of(secret, store, now);
  return holder_of_token(auth::token_hash(secret), store, now);
}

store::TokenRecord token_record(const auth::MintedToken& token, std::string subject,
                                std::vector<std::string> scopes) {
  store::TokenRecord record;
  record.id = token.id;
  record.hash = token.hash;
  record.subject = std::move(subject);
  record.scopes = std::move(scopes);
  return record;
}

Status settle_credential(const Call& call) {
  if (!auth::is_fresh(call.principal.scopes)) return {};
  contracts::ObjectMeta node;
  node.name = call.principal.subject.substr(auth::node_subject("").size());
  return nodes::settle(call.services.store, node.name, call.principal.token_id, call.now(),
                       [&](store::WriteTxn& txn) {
                         return record(txn, call, contracts::audit::kNodeRevoke, "nodes", node);
                       });
}

}  // namespace paddock::api
