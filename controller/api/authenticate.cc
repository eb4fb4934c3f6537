#include "controller/api/authenticate.h"

namespace paddock::api {

Result<auth::Principal> principal_of(const Request& request, store::Store& store, WallTime now) {
  ASSIGN_OR_RETURN(const std::string secret, auth::bearer_secret(request.header("authorization")));
  if (secret.empty()) return auth::anonymous();
  std::optional<store::TokenRecord> record;
  TRY(store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(record, txn.token_by_hash(auth::token_hash(secret)));
    return {};
  }));
  if (!record) return auth::authenticate(std::nullopt, now);
  return auth::authenticate(
      auth::Credential{record->id, record->subject, record->scopes, record->name_space,
                       record->expires_ms, record->revoked},
      now);
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

}  // namespace paddock::api
