#include "common/crypto/sha1.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::crypto {
namespace {

TEST(Sha1, IsThatOfTheStandard) {
  EXPECT_EQ(hex(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(sha1("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

}  // namespace
}  // namespace paddock::crypto
