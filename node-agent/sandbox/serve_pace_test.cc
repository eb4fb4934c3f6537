#include "node-agent/sandbox/serve_pace.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

constexpr MonoTime kStart{1'000'000};

ServePace filled(int wanted) {
  ServePace pace(wanted, kStart);
  while (pace.wants_one(kStart)) pace.made();
  return pace;
}

TEST(ServePace, FillsUpAtOnceAndThenSleeps) {
  const ServePace pace = filled(3);
  EXPECT_EQ(pace.ready(), 3);
  EXPECT_EQ(pace.next(kStart + Millis(5'000)), kStart + Millis(5'000));
}

TEST(ServePace, RefillsInAQuietMomentWhileOthersWait) {
  ServePace pace = filled(3);
  pace.taken(kStart);
  EXPECT_FALSE(pace.wants_one(kStart));
  const MonoTime then = pace.next(kStart + Millis(5'000));
  EXPECT_GT(then, kStart);
  EXPECT_TRUE(pace.wants_one(then));
}

TEST(ServePace, RefillsAtOnceWhenNobodyWaits) {
  ServePace pace = filled(2);
  pace.taken(kStart + Millis(1));
  pace.taken(kStart + Millis(2));
  EXPECT_TRUE(pace.wants_one(kStart + Millis(2)));
}

TEST(ServePace, RestsAfterEveryFailureHoweverManyAreMissing) {
  ServePace pace(4, kStart);
  int tries = 0;
  MonoTime now = kStart;
  while (now < kStart + Millis(10'000)) {
    if (pace.wants_one(now)) {
      ++tries;
      pace.failed_to_make(now);
    }
    const MonoTime next = pace.next(kStart + Millis(10'000));
    ASSERT_GT(next, now) << "it would spin";
    now = next;
  }
  EXPECT_LE(tries, 51);
}

TEST(ServePace, DoesNotReplaceAtOnceWhatEndsUnused) {
  ServePace pace(1, kStart);
  MonoTime now = kStart;
  int made = 0;
  while (now < kStart + Millis(10'000)) {
    if (pace.wants_one(now)) {
      ++made;
      pace.made();
      pace.ended_unused(now);
    }
    const MonoTime next = pace.next(kStart + Millis(10'000));
    ASSERT_GT(next, now) << "it would spin";
    now = next;
  }
  EXPECT_LE(made, 51);
}

TEST(ServePace, LeavesAfterALongTimeWithoutUse) {
  ServePace pace = filled(1);
  EXPECT_FALSE(pace.unused_for_long(kStart + Millis(600'000)));
  EXPECT_TRUE(pace.unused_for_long(kStart + Millis(600'001)));
  pace.taken(kStart + Millis(600'000));
  EXPECT_FALSE(pace.unused_for_long(kStart + Millis(1'200'000)));
}

}  // namespace
}  // namespace paddock::sandbox
