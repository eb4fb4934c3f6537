// Signing and opening the envelopes of receipts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/contracts/receipt.h"

namespace paddock::receipts {

// `private_pem`: see common/crypto/signing.h. SIGNING_KEY_INVALID.
Result<contracts::ReceiptEnvelope> sign_statement(std::string_view statement,
                                                  std::string_view private_pem);

struct OpenedReceipt {
  std::string key_id;     // of the key that signed it
  std::string statement;  // exactly what was signed
};
// Nothing in an envelope is believed before its signature is found good by one of these public
// keys. RECEIPT_MALFORMED: it is none; RECEIPT_KEY_UNKNOWN: none of the keys signed it, by the
// names of the signers; RECEIPT_CHANGED: one of them should have, and did not sign this.
Result<OpenedReceipt> open_receipt(const contracts::ReceiptEnvelope& envelope,
                                   const std::vector<std::string>& public_pems);

// The PEM blocks of public keys in a text. SIGNING_KEY_INVALID: there is none.
Result<std::vector<std::string>> public_keys_in(std::string_view text);

}  // namespace paddock::receipts
