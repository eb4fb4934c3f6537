// Creates that may be sent twice. The same key with the same request gives the first object again;
// with another request it is refused.
#pragma once

#include <string>
#include <vector>

#include "controller/api/server/call.h"

namespace paddock::api {

struct IdempotencyKey {
  std::string scope;  // who creates what where; empty: no key was sent
  std::string key;
  std::string digest;
};
// From the header Idempotency-Key. IDEMPOTENCY_KEY_INVALID: 1 to 128 visible ASCII characters.
Result<IdempotencyKey> idempotency_key(const Call& call);

// The names that an earlier create with this key made, of those that are still there.
// FailedPrecondition (IDEMPOTENCY_KEY_REUSED).
Result<std::vector<std::string>> earlier_creates(store::ReadTxn& txn, const IdempotencyKey& key);
// `item`: which of the request's objects it is.
Status remember_create(store::WriteTxn& txn, const IdempotencyKey& key, const std::string& name,
                       size_t item = 0);

}  // namespace paddock::api
