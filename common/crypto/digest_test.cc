#include "common/crypto/digest.h"

#include <unistd.h>

#include <set>

#include <gtest/gtest.h>

namespace paddock::crypto {
namespace {

// RFC 4231, test case 2.
TEST(Hmac, GivesThePublishedCode) {
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

// The vectors of FIPS 180-2, appendix B.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheInputIsCut) {
  Sha256 hash;
  hash.update("a");
  hash.update("");
  Sha256 moved = std::move(hash);
  moved.update("bc");
  EXPECT_EQ(moved.finish_hex(), sha256_hex("abc"));
}

TEST(Sha256, ReadsADescriptorToItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  ::close(ends[1]);
  EXPECT_EQ(*sha256_fd(ends[0]), sha256_hex("abc"));
  ::close(ends[0]);
  EXPECT_FALSE(sha256_fd(ends[0]).ok());
}

TEST(EqualConstantTime, ComparesContentAndLength) {
  EXPECT_TRUE(equal_constant_time("", ""));
  EXPECT_TRUE(equal_constant_time("secret", "secret"));
  EXPECT_FALSE(equal_constant_time("secret", "secreT"));
  EXPECT_FALSE(equal_constant_time("secret", "secre"));
}

TEST(MakeToken, IsUrlSafeOfFixedLengthAndNeverTheSame) {
  SystemRandom random;
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const std::string token = make_token(random, "pdk");
    EXPECT_EQ(token.size(), 4U + 43U);
    EXPECT_EQ(
        token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
        std::string::npos);
    EXPECT_TRUE(seen.insert(token).second);
  }
}

}  // namespace
}  // namespace paddock::crypto
