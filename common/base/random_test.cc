#include "common/base/random.h"

#include <set>

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(SeededRandom, RepeatsItselfBySeed) {
  SeededRandom one(7), two(7), three(8);
  EXPECT_EQ(one.next(), two.next());
  EXPECT_NE(one.next(), three.next());
}

TEST(Random, BelowStaysBelowAndReachesEveryValue) {
  SeededRandom random(1);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t value = random.below(10);
    ASSERT_LT(value, 10U);
    seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(RandomDeathTest, BelowZeroIsABrokenInvariant) {
  SeededRandom random(1);
  EXPECT_DEATH(random.below(0), "below");
}

TEST(Uuid, HasTheFormOfVersion4AndDoesNotRepeat) {
  SystemRandom random;
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = make_uuid(random);
    ASSERT_EQ(uuid.size(), 36U);
    ASSERT_EQ(uuid[14], '4');
    ASSERT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
    ASSERT_EQ(uuid.find_first_not_of("0123456789abcdef-"), std::string::npos);
    ASSERT_TRUE(seen.insert(uuid).second);
  }
}

TEST(Suffix, UsesTheAlphabetOfGeneratedNames) {
  SeededRandom random(3);
  const std::string suffix = make_suffix(random, 200);
  EXPECT_EQ(suffix.size(), 200U);
  EXPECT_EQ(suffix.find_first_not_of("bcdfghjklmnpqrstvwxz2456789"), std::string::npos);
}

}  // namespace
}  // namespace paddock
