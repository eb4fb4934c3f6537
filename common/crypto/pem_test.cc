#include "common/crypto/pem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::crypto {
namespace {

TEST(Pem, BlocksOfALabelAreFoundAmongOthers) {
  const std::string key = "-----BEGIN KEY-----\nAA==\n-----END KEY-----\n";
  const std::string other = "-----BEGIN OTHER-----\nBB==\n-----END OTHER-----\n";
  EXPECT_THAT(pem_blocks("a note\n" + key + other + key, "KEY"), testing::ElementsAre(key, key));
  EXPECT_THAT(pem_blocks(other, "KEY"), testing::IsEmpty());
  EXPECT_THAT(pem_blocks(key + "-----BEGIN KEY-----\nAA==\n", "KEY"), testing::ElementsAre(key))
      << "one without an end";
}

}  // namespace
}  // namespace paddock::crypto
