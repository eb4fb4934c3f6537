#include "common/receipts/envelope.h"

#include "common/base/text.h"
#include "common/crypto/pem.h"
#include "common/crypto/signing.h"

namespace paddock::receipts {
namespace {

using contracts::EnvelopeSignature;
using contracts::ReceiptEnvelope;

// DSSE's "pre-authentication encoding": neither type nor payload can be taken for a part of the
// other.
std::string signed_bytes(std::string_view type, std::string_view payload) {
  return cat("DSSEv1 ", type.size(), " ", type, " ", payload.size(), " ", payload);
}

Error malformed(std::string_view why) {
  return invalid_argument("RECEIPT_MALFORMED", cat("this is no receipt: ", why));
}

}  // namespace

Result<ReceiptEnvelope> sign_statement(std::string_view statement, std::string_view private_pem) {
  ASSIGN_OR_RETURN(const std::string shown, crypto::public_key_of(private_pem));
  ASSIGN_OR_RETURN(std::string key_id, crypto::signing_key_id(shown));
  ASSIGN_OR_RETURN(
      const std::string signature,
      crypto::sign(private_pem, signed_bytes(contracts::kStatementPayload, statement)));
  ReceiptEnvelope out;
  out.payload = base64(statement);
  out.signatures.push_back({std::move(key_id), base64(signature)});
  return out;
}

Result<OpenedReceipt> open_receipt(const ReceiptEnvelope& envelope,
                                   const std::vector<std::string>& public_pems) {
  if (envelope.payload_type != contracts::kStatementPayload)
    return malformed(cat("its payloadType is not ", contracts::kStatementPayload));
  const auto statement = decode_base64(envelope.payload);
  if (!statement) return malformed("its payload is not base64");
  const std::string bytes = signed_bytes(envelope.payload_type, *statement);
  bool known = false;
  for (const std::string& key : public_pems) {
    ASSIGN_OR_RETURN(const std::string id, crypto::signing_key_id(key));
    for (const EnvelopeSignature& each : envelope.signatures) {
      const auto signature = decode_base64(each.signature);
      if (!signature) return malformed("a signature is not base64");
      ASSIGN_OR_RETURN(const bool good, crypto::is_signed_by(key, bytes, *signature));
      if (good && each.key_id == id) return OpenedReceipt{id, *statement};
      known = known || good || each.key_id == id;
    }
  }
  if (known)
    return Error{Code::kFailedPrecondition, "RECEIPT_CHANGED",
                 "the signature is not of this content, or not of the key that it names: it was "
                 "changed after it was signed"};
  return Error{Code::kFailedPrecondition, "RECEIPT_KEY_UNKNOWN",
               "none of these keys signed it; `paddock receipt-keys` shows the controller's, the "
               "former ones too"};
}

Result<std::vector<std::string>> public_keys_in(std::string_view text) {
  std::vector<std::string> out = crypto::pem_blocks(text, "PUBLIC KEY");
  for (const std::string& key : out) TRY(crypto::signing_key_id(key));
  if (out.empty())
    return invalid_argument("SIGNING_KEY_INVALID",
                            "there is no public key in it; `paddock receipt-keys` prints them");
  return out;
}

}  // namespace paddock::receipts
