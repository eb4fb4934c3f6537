// Receipts: what became of a run, signed by the controller. The envelope is DSSE
// (https://github.com/secure-systems-lab/dsse), the statement in it in-toto's
// (https://github.com/in-toto/attestation, version 1), so that other tools read both.
#pragma once

#include <string>
#include <vector>

#include "common/wire/describe.h"

namespace paddock::contracts {

using wire::field;

inline constexpr const char* kStatementPayload = "application/vnd.in-toto+json";
inline constexpr const char* kStatementType = "https://in-toto.io/Statement/v1";
inline constexpr const char* kReceiptPredicate = "https://paddock.dev/run-receipt/v1";

struct EnvelopeSignature {
  std::string key_id;
  std::string signature;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("keyid", &EnvelopeSignature::key_id,
              "SHA-256 of the public key's DER, in hexadecimal"),
        field("sig", &EnvelopeSignature::signature, "Ed25519, as base64", {.required = true}));
  }
};

struct ReceiptEnvelope {
  std::string payload;
  std::string payload_type = kStatementPayload;
  std::vector<EnvelopeSignature> signatures;
  static constexpr auto describe(auto&& visit) {
    return visit(field("payload", &ReceiptEnvelope::payload, "the in-toto statement, as base64",
                       {.required = true}),
                 field("payloadType", &ReceiptEnvelope::payload_type,
                       "application/vnd.in-toto+json", {.required = true}),
                 field("signatures", &ReceiptEnvelope::signatures, "of type and payload together",
                       {.required = true, .max_length = 16}));
  }
};

struct ReceiptKey {
  std::string key_id;
  std::string public_key;
  bool current = false;
  static constexpr auto describe(auto&& visit) {
    return visit(field("keyId", &ReceiptKey::key_id, "what signatures call it"),
                 field("publicKey", &ReceiptKey::public_key, "PEM"),
                 field("current", &ReceiptKey::current, "whether it signs now; others did before"));
  }
};

struct ReceiptKeyList {
  std::vector<ReceiptKey> items;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("items", &ReceiptKeyList::items, "the one that signs, then the former ones"));
  }
};

}  // namespace paddock::contracts
