// Creates that may be sent twice. The same key with the same request gives the first object again;
// with another request it is refused.
#pragma once

#include <string>

#include "controller/api/call.h"

namespace paddock::api {

struct IdempotencyKey {
  std::string scope;  // who creates what where; empty: no key was sent
  std::string key;
  std::string digest;
};
// From the header Idempotency-Key. IDEMPOTENCY_KEY_INVALID: 1 to 128 visible ASCII characters.
Result<IdempotencyKey> idempotency_key(const Call& call);

// The name that an earlier create with this key made. FailedPrecondition (IDEMPOTENCY_KEY_REUSED).
Result<std::optional<std::string>> earlier_create(store::ReadTxn& txn, const IdempotencyKey& key);
Status remember_create(store::WriteTxn& txn, const IdempotencyKey& key, const std::string& name);

}  // namespace paddock::api
