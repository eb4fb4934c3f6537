// A checkpoint: a place in the chain that a controller signed, for people who keep it elsewhere,
// and behind which one the chain began then. It is a statement of in-toto's shape in the envelope
// of receipts. Pure.
#pragma once

#include <optional>
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
  // The last record that was forgotten by then, id 0 if none was; absent from older controllers.
  std::optional<contracts::ChainPlace> forgotten = {};
  std::string key_id = {};  // of the key that signed it
};

wire::Value statement(const Checkpoint& checkpoint);

// Believed only once its signature is found good by one of these keys. AUDIT_CHECKPOINT_MALFORMED:
// it is none, or something else was signed; RECEIPT_KEY_UNKNOWN, RECEIPT_CHANGED.
Result<Checkpoint> open_checkpoint(const wire::Value& envelope,
                                   const std::vector<std::string>& public_pems);

}  // namespace paddock::audit_chain
