#include "common/receipts/envelope.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/crypto/signing.h"
#include "common/wire/json.h"

namespace paddock::receipts {
namespace {

const std::string kKey = crypto::make_signing_key();
const std::string kShown = *crypto::public_key_of(kKey);
const std::string kOther = *crypto::public_key_of(crypto::make_signing_key());
constexpr std::string_view kStatement = R"({"_type":"x"})";

std::string reason(const contracts::ReceiptEnvelope& envelope,
                   const std::vector<std::string>& keys = {kShown}) {
  const auto opened = open_receipt(envelope, keys);
  return opened.ok() ? "" : opened.error().reason.str();
}

TEST(Envelope, OpensByTheKeyThatSignedIt) {
  const auto envelope = *sign_statement(kStatement, kKey);
  const auto opened = open_receipt(envelope, {kOther, kShown});
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->statement, kStatement);
  EXPECT_EQ(opened->key_id, *crypto::signing_key_id(kShown));
  EXPECT_EQ(reason(envelope, {kOther}), "RECEIPT_KEY_UNKNOWN");
}

TEST(Envelope, EachByteOfThePayloadCounts) {
  for (size_t i = 0; i < kStatement.size(); ++i) {
    auto envelope = *sign_statement(kStatement, kKey);
    std::string changed(kStatement);
    changed[i] = static_cast<char>(changed[i] ^ 1);
    envelope.payload = base64(changed);
    EXPECT_EQ(reason(envelope), "RECEIPT_CHANGED") << i;
  }
}

// No text that was changed in one bit is taken for the one that was signed.
TEST(Envelope, EachByteOfItsJsonCounts) {
  const std::string text = wire::encode_json(*sign_statement(R"({"_type":"xy"})", kKey));
  const std::string other = wire::encode_json(*sign_statement(kStatement, kKey));
  for (const std::string& whole : {text, other}) {
    for (size_t at = 0; at < whole.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 1 << bit);
        const auto parsed = wire::parse_json(changed);
        if (!parsed.ok()) continue;
        const auto envelope = wire::decode<contracts::ReceiptEnvelope>(*parsed);
        if (envelope.ok()) EXPECT_NE(reason(*envelope), "") << changed;
      }
    }
  }
}

TEST(Envelope, SaysWhichKeySignedIt) {
  auto envelope = *sign_statement(kStatement, kKey);
  envelope.signatures.front().key_id = *crypto::signing_key_id(kOther);
  EXPECT_EQ(reason(envelope), "RECEIPT_CHANGED");
  EXPECT_EQ(reason(envelope, {kOther, kShown}), "RECEIPT_CHANGED");
  const auto former = *sign_statement(kStatement, kKey);
  EXPECT_EQ(reason(former, {kOther, kShown}), "") << "of several keys the one that it names";
  envelope.signatures.push_back(former.signatures.front());
  EXPECT_EQ(reason(envelope), "") << "one good signature is enough";
}

// The signature is over DSSE's encoding of type and payload, not over the payload alone.
TEST(Envelope, SignsAsDsseSays) {
  const auto envelope = *sign_statement("hello", kKey);
  const std::string bytes = "DSSEv1 28 application/vnd.in-toto+json 5 hello";
  EXPECT_TRUE(
      *crypto::is_signed_by(kShown, bytes, *decode_base64(envelope.signatures.front().signature)));
}

TEST(Envelope, ASignersNameProvesNothing) {
  auto envelope = *sign_statement(kStatement, crypto::make_signing_key());
  envelope.signatures.front().key_id = *crypto::signing_key_id(kShown);
  EXPECT_EQ(reason(envelope), "RECEIPT_CHANGED");
  envelope.signatures.clear();
  EXPECT_EQ(reason(envelope), "RECEIPT_KEY_UNKNOWN");
}

TEST(Envelope, OtherDocumentsAreNoReceipts) {
  const auto envelope = *sign_statement(kStatement, kKey);
  auto changed = envelope;
  changed.payload_type = "text/plain";
  EXPECT_EQ(reason(changed), "RECEIPT_MALFORMED");
  changed = envelope;
  changed.payload = "?";
  EXPECT_EQ(reason(changed), "RECEIPT_MALFORMED");
  changed = envelope;
  changed.signatures.front().signature = "?";
  EXPECT_EQ(reason(changed), "RECEIPT_MALFORMED");
}

TEST(Envelope, KeysAreFoundAmongOtherText) {
  EXPECT_EQ(*public_keys_in(cat("former:\n", kOther, "\nnow:\n", kShown)),
            (std::vector{kOther, kShown}));
  for (const std::string& text :
       {std::string(), std::string("-----BEGIN PUBLIC KEY-----"),
        std::string("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----"), kKey})
    EXPECT_EQ(public_keys_in(text).error().reason, "SIGNING_KEY_INVALID");
}

}  // namespace
}  // namespace paddock::receipts
