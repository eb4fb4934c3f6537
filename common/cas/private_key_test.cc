#include "common/cas/private_key.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::cas {
namespace {

// clang-format off
// The clients are held to the same rows (client_ignore_test.py).
constexpr std::pair<std::string_view, bool> kTable[] = {
    {"-----BEGIN PRIVATE KEY-----\nMIIE", true},
    {"-----BEGIN ENCRYPTED PRIVATE KEY-----\r\nMIIE", true},
    {"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n", true},
    {"-----BEGIN EC PRIVATE KEY-----\nMHcC", true},
    {"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", true},
    {"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQVY", true},
    {"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: x\n", true},
    {"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", true},
    {"# created: 2026-01-02\n# public key: age1xyz\nAGE-SECRET-KEY-1ABC\n", true},
    {"\n# of the test server\n\n-----BEGIN PRIVATE KEY-----\n", true},
    {"-----BEGIN EC PARAMETERS-----\nBggq\n-----END EC PARAMETERS-----\n-----BEGIN EC PRIVATE KEY-----\n", true},
    {"-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n", true},
    {"Bag Attributes\n    localKeyID: 01 AB\nKey Attributes: <No Attributes>\n-----BEGIN PRIVATE KEY-----\n", true},
    {"Private-Key: (2048 bit, 2 primes)\nmodulus:\n    00:c3:0f\n-----BEGIN PRIVATE KEY-----\n", true},
    {"{\n  \"type\": \"service_account\",\n  \"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIE\"\n}", true},
    {"{\"private_key\":\"-----BEGIN RSA PRIVATE KEY-----\"", true},
    {"", false},
    {"-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\n", false},
    {"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n", false},
    {"-----BEGIN CERTIFICATE REQUEST-----\nMIIC\n", false},
    {"ssh-ed25519 AAAA user@host\n", false},
    {"age1xyz\n", false},
    {"import ssl\n-----BEGIN PRIVATE KEY-----\n", false},
    {"KEY = \"\"\"\n-----BEGIN PRIVATE KEY-----\n", false},
    {"#!/bin/sh\ncat >key <<EOF\n-----BEGIN PRIVATE KEY-----\n", false},
    {"KEY=\"-----BEGIN PRIVATE KEY-----\"\n", false},
    {"Use `openssl` for it:\n-----BEGIN PRIVATE KEY-----\n", false},
    {"{\"private_key\": \"secrets/key.pem\"}", false},
    {"{\"public_key\": \"-----BEGIN PUBLIC KEY-----\", \"private_key\": null}", false},
    {"print('-----BEGIN PRIVATE KEY-----')\n", false},
};
// clang-format on

TEST(PrivateKey, IsKnownByItsBeginning) {
  for (const auto& [text, key] : kTable) {
    EXPECT_EQ(begins_with_private_key(text), key) << text;
    EXPECT_EQ(begins_with_private_key(cat("\xEF\xBB\xBF", text)), key) << text;
  }
}

TEST(PrivateKey, IsNothingThatOnlyRepeatsHowOneBegins) {
  for (const std::string_view piece : {"-----BEGIN ", "a:\n", "\n", "{\"private_key\"", "#"}) {
    std::string text;
    while (text.size() < kKeyBeginning) text += piece;
    EXPECT_FALSE(begins_with_private_key(text)) << piece;
  }
}

}  // namespace
}  // namespace paddock::cas
