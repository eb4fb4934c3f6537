// A checkpoint: a place in the chain that a controller signed, for whoever keeps it elsewhere. It
// is a statement of in-toto's shape in the envelope of receipts. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/contracts/audit_chain.h"
#include "common/contracts/receipt.h"
#include "common/wire/value.h"

namespace paddock::audit_chain {

struct Checkpoint {
  contracts::ChainPlace place;
  WallTime time;
  std::string key_id = {};  // of the key that signed it
};

wire::Value statement(const Checkpoint& checkpoint);

// Believed only once its signature is found good by one of these keys. AUDIT_CHECKPOINT_MALFORMED:
// it is none, or something else was signed; RECEIPT_KEY_UNKNOWN, RECEIPT_CHANGED.
Result<Checkpoint> open_checkpoint(const wire::Value& envelope,
                                   const std::vector<std::string>& public_pems);

}  // namespace paddock::audit_chain
