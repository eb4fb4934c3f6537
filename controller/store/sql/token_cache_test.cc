#include "controller/store/sql/token_cache.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::store::sql {
namespace {

TokenRecord token(std::string hash) {
  TokenRecord out;
  out.id = "t";
  out.hash = std::move(hash);
  return out;
}

TEST(TokenCache, KnowsATokenUntilAnyChanges) {
  TokenCache cache;
  EXPECT_FALSE(cache.find("a"));
  cache.put(token("a"), cache.changes());
  ASSERT_TRUE(cache.find("a"));
  EXPECT_EQ(cache.find("a")->hash, "a");
  cache.forget_all();
  EXPECT_FALSE(cache.find("a"));
}

// The reader was on its way while the token was revoked: what it found may be from before.
TEST(TokenCache, DoesNotKeepWhatWasReadBeforeAChange) {
  TokenCache cache;
  const uint64_t before = cache.changes();
  cache.forget_all();
  cache.put(token("a"), before);
  EXPECT_FALSE(cache.find("a"));
}

TEST(TokenCache, HasABound) {
  TokenCache cache;
  for (int i = 0; i < 5'000; ++i) cache.put(token(cat("hash-", i)), cache.changes());
  int known = 0;
  for (int i = 0; i < 5'000; ++i) known += cache.find(cat("hash-", i)) ? 1 : 0;
  EXPECT_GT(known, 0);
  EXPECT_LE(known, 1'024);
  EXPECT_TRUE(cache.find("hash-4999"));
}

}  // namespace
}  // namespace paddock::store::sql
