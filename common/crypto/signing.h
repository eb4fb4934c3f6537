// Signatures by Ed25519 (RFC 8032). Keys are PEM texts: PKCS #8, and SubjectPublicKeyInfo.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::crypto {

std::string make_signing_key();
// The public key that belongs to a private key. SIGNING_KEY_INVALID.
Result<std::string> public_key_of(std::string_view private_pem);
// The id of a public key: the SHA-256 of its DER, in hexadecimal. SIGNING_KEY_INVALID.
Result<std::string> signing_key_id(std::string_view public_pem);

// 64 bytes. SIGNING_KEY_INVALID.
Result<std::string> sign(std::string_view private_pem, std::string_view message);
// Whether the holder of the key signed exactly this. SIGNING_KEY_INVALID.
Result<bool> is_signed_by(std::string_view public_pem, std::string_view message,
                          std::string_view signature);

}  // namespace paddock::crypto
