#include "controller/api/server/idempotency.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/http_server/target.h"

namespace paddock::api {

Result<IdempotencyKey> idempotency_key(const Call& call) {
  const std::string key = call.request.header("idempotency-key");
  if (key.empty()) return IdempotencyKey{};
  const bool visible = std::ranges::all_of(key, [](char c) { return c > ' ' && c < 0x7f; });
  if (!visible || key.size() > 128) {
    return invalid_argument("IDEMPOTENCY_KEY_INVALID",
                            "Idempotency-Key takes 1 to 128 visible ASCII characters");
  }
  return IdempotencyKey{
      cat(call.principal.token_id, " ", http_server::path_of(call.request.segments)), key,
      call.body_hash};
}

Result<std::vector<std::string>> earlier_creates(store::ReadTxn& txn, const IdempotencyKey& key) {
  std::vector<std::string> names;
  if (key.scope.empty()) return names;
  ASSIGN_OR_RETURN(const auto made, txn.idempotent_creates(key.scope, key.key));
  for (const auto& each : made) {
    if (each.request_digest != key.digest) {
      return Error{Code::kFailedPrecondition, "IDEMPOTENCY_KEY_REUSED",
                   "this Idempotency-Key was used with another request; take a fresh one"};
    }
    names.push_back(each.name);
  }
  return names;
}

Status remember_create(store::WriteTxn& txn, const IdempotencyKey& key, const std::string& name,
                       size_t item) {
  if (key.scope.empty()) return {};
  return txn.put_idempotent_create(key.scope, key.key, item, {name, key.digest});
}

}  // namespace paddock::api
