#include "common/crypto/signing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::crypto {
namespace {

// RFC 8032, section 7.1, test 2: the message is the byte 0x72.
constexpr const char* kRfcPublic =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n"
    "-----END PUBLIC KEY-----\n";
constexpr std::string_view kRfcSignature =
    "kqAJqfDUyrhyDoILX2QlQKKye1QWUD+Ps3YiI+vbadoIWsHkPhWZbkWPNhPQ8R2MOHsurrQwKu6wDSkWErsMAA==";

TEST(Signing, AgreesWithTheStandardsExample) {
  const std::string signature = *decode_base64(kRfcSignature);
  EXPECT_TRUE(*is_signed_by(kRfcPublic, "r", signature));
  EXPECT_FALSE(*is_signed_by(kRfcPublic, "s", signature));
}

TEST(Signing, NoBitOfMessageOrSignatureMayChange) {
  const std::string key = make_signing_key();
  const std::string shown = *public_key_of(key);
  const std::string message = "what was enforced";
  const std::string signature = *sign(key, message);
  EXPECT_TRUE(*is_signed_by(shown, message, signature));
  for (size_t i = 0; i < signature.size() * 8; ++i) {
    std::string changed = signature;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
    EXPECT_FALSE(*is_signed_by(shown, message, changed)) << i;
  }
  EXPECT_FALSE(*is_signed_by(shown, message + " ", signature));
  EXPECT_FALSE(*is_signed_by(shown, message, signature + "x"));
  EXPECT_FALSE(*is_signed_by(shown, message, ""));
  EXPECT_FALSE(*is_signed_by(*public_key_of(make_signing_key()), message, signature));
}

TEST(Signing, AKeyIsCalledByItsPublicPart) {
  const std::string key = make_signing_key();
  const std::string id = *signing_key_id(*public_key_of(key));
  EXPECT_EQ(id.size(), 64U);
  EXPECT_NE(id, *signing_key_id(*public_key_of(make_signing_key())));
}

TEST(Signing, OtherTextsAreNoKeys) {
  for (const std::string& text : {std::string(), std::string("x"), std::string(kRfcPublic)}) {
    EXPECT_EQ(sign(text, "m").error().reason, "SIGNING_KEY_INVALID");
    EXPECT_EQ(public_key_of(text).error().reason, "SIGNING_KEY_INVALID");
  }
  const std::string secret = make_signing_key();
  EXPECT_EQ(is_signed_by(secret, "m", "s").error().reason, "SIGNING_KEY_INVALID");
  EXPECT_EQ(signing_key_id("").error().reason, "SIGNING_KEY_INVALID");
}

}  // namespace
}  // namespace paddock::crypto
