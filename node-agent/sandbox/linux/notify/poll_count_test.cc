#include "node-agent/sandbox/linux/notify/poll_count.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

constexpr uint32_t kHalf = PollCount::kMost / 2;

TEST(PollCount, HasRoomForSoManyAndNoMore) {
  PollCount count;
  ASSERT_TRUE(count.has_room(1, PollCount::kMost));
  EXPECT_FALSE(count.has_room(1, PollCount::kMost + 1));
  count.note(1, PollCount::kMost);
  EXPECT_FALSE(count.has_room(2, PollCount::kFew));
}

TEST(PollCount, CountsOfAThreadItsLastCall) {
  PollCount count;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(count.has_room(1, kHalf));
    count.note(1, kHalf);
  }
  count.note(1, PollCount::kFew);
  EXPECT_EQ(count.held(), PollCount::kFew);
}

TEST(PollCount, TakesBackWhatNobodyWaitsForAnyMore) {
  PollCount count;
  count.note(1, kHalf);
  count.note(2, kHalf);
  count.forget_unless([](pid_t thread) { return thread == 2; });
  EXPECT_EQ(count.held(), kHalf);
  EXPECT_EQ(count.threads(), 1U);
}

TEST(PollCount, OfASelectWithoutSetsIsSmallUnlessItNamesVeryMany) {
  EXPECT_LT(PollCount::of_empty_select(1024), PollCount::kFew);
  EXPECT_EQ(PollCount::of_empty_select(1'048'576), 10'922U);  // 768 KiB
}

}  // namespace
}  // namespace paddock::sandbox
