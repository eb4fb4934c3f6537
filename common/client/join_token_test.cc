#include "common/client/join_token.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/client/node_identity.h"
#include "common/crypto/certificate.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::client {
namespace {

TEST(JoinToken, BringsTheCaAlongByteForByte) {
  SeededRandom random{1};
  const std::string secret = crypto::make_token(random, "pdke");
  const auto ca = crypto::make_ca("a CA", WallTime{1'700'000'000'000});
  ASSERT_TRUE(ca.ok());
  const std::string text = format_join_token({secret, ca->certificate_pem});
  EXPECT_LT(text.size(), 1024U);
  EXPECT_EQ(
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."),
      std::string::npos);
  const auto token = parse_join_token(cat(" ", text, "\n"));
  ASSERT_TRUE(token.ok()) << token.error().message;
  EXPECT_EQ(token->secret, secret);
  EXPECT_EQ(token->ca_pem, ca->certificate_pem);
}

TEST(JoinToken, IsTheSecretAloneWithoutOneCa) {
  const std::string secret = cat("pdke_", std::string(43, 'a'));
  const auto one = crypto::make_ca("a CA", WallTime{1'700'000'000'000})->certificate_pem;
  for (const std::string& ca :
       {std::string(), std::string("no PEM"), one + one,
        std::string("-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----")})
    EXPECT_EQ(format_join_token({secret, ca}), secret);
  const auto token = parse_join_token(secret);
  ASSERT_TRUE(token.ok());
  EXPECT_EQ(token->secret, secret);
  EXPECT_EQ(token->ca_pem, "");
}

TEST(JoinToken, OthersAreRefusedByName) {
  const std::string secret = cat("pdke_", std::string(43, 'a'));
  for (const std::string& text :
       {std::string(), std::string("pdk_admin"), secret + ".", secret + ".AAAA", secret + ".a b",
        secret + ".!!", cat("pdke_", "a\nb"), secret + "." + std::string(9000, 'A'),
        cat("pdke_x\r\nX-Evil: 1")}) {
    const auto token = parse_join_token(text);
    ASSERT_FALSE(token.ok()) << text;
    EXPECT_EQ(token.error().reason, "ENROLL_TOKEN_MALFORMED");
    EXPECT_EQ(token.error().causes.at(0).field, "token");
    EXPECT_EQ(token.error().message.find(std::string(20, 'a')), std::string::npos) << "no secret";
  }
}

TEST(NodeIdentity, IsMadeOnceKeptFromOthersAndForgotten) {
  const test::TempDir folder;
  SeededRandom random{1};
  const std::string& dir = folder.path();
  const auto first = ensure_identity(dir, random);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*ensure_identity(dir, random), *first);
  EXPECT_EQ(stored_credential(dir), "");
  ASSERT_TRUE(store_credential(dir, "pdkn_secret").ok());
  EXPECT_EQ(stored_credential(dir), "pdkn_secret");
  for (const char* name : {"identity", "credential"}) {
    struct stat file = {};
    ASSERT_EQ(::stat(os::join_path(dir, name).c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777U, 0600U) << name;
  }
  EXPECT_FALSE(swap_credentials(dir)) << "there is no other one";
  ASSERT_TRUE(os::write_file_atomic(os::join_path(dir, "credential.previous"), "older\n").ok());
  EXPECT_TRUE(swap_credentials(dir));
  EXPECT_EQ(stored_credential(dir), "older");
  EXPECT_TRUE(swap_credentials(dir));
  EXPECT_EQ(stored_credential(dir), "pdkn_secret") << "neither is lost";
  for (int again = 0; again < 2; ++again) EXPECT_TRUE(forget_identity(dir).ok());
  EXPECT_EQ(stored_credential(dir), "");
  EXPECT_NE(*ensure_identity(dir, random), *first);
}

}  // namespace
}  // namespace paddock::client
