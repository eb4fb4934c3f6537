#include "node-agent/sandbox/linux/launcher/serve_pace.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

constexpr MonoTime kPaceStart{1'000'000};

ServePace filled(int wanted) {
  ServePace pace(wanted, kPaceStart);
  while (pace.wants_one(kPaceStart)) pace.made();
  return pace;
}

TEST(ServePace, FillsUpAtOnceAndThenSleeps) {
  const ServePace pace = filled(3);
  EXPECT_EQ(pace.ready(), 3);
  EXPECT_EQ(pace.next(kPaceStart + Millis(5'000)), kPaceStart + Millis(5'000));
}

TEST(ServePace, RefillsInAQuietMomentWhileOthersWait) {
  ServePace pace = filled(3);
  pace.taken(kPaceStart);
  EXPECT_FALSE(pace.wants_one(kPaceStart));
  const MonoTime then = pace.next(kPaceStart + Millis(5'000));
  EXPECT_GT(then, kPaceStart);
  EXPECT_TRUE(pace.wants_one(then));
}

TEST(ServePace, RefillsAtOnceWhenNobodyWaits) {
  ServePace pace = filled(2);
  pace.taken(kPaceStart + Millis(1));
  pace.taken(kPaceStart + Millis(2));
  EXPECT_TRUE(pace.wants_one(kPaceStart + Millis(2)));
}

TEST(ServePace, RestsAfterEveryFailureHoweverManyAreMissing) {
  ServePace pace(4, kPaceStart);
  int tries = 0;
  MonoTime now = kPaceStart;
  while (now < kPaceStart + Millis(10'000)) {
    if (pace.wants_one(now)) {
      ++tries;
      pace.failed_to_make(now);
    }
    const MonoTime next = pace.next(kPaceStart + Millis(10'000));
    ASSERT_GT(next, now) << "it would spin";
    now = next;
  }
  EXPECT_LE(tries, 51);
}

TEST(ServePace, DoesNotReplaceAtOnceWhatEndsUnused) {
  ServePace pace(1, kPaceStart);
  MonoTime now = kPaceStart;
  int made = 0;
  while (now < kPaceStart + Millis(10'000)) {
    if (pace.wants_one(now)) {
      ++made;
      pace.made();
      pace.ended_unused(now);
    }
    const MonoTime next = pace.next(kPaceStart + Millis(10'000));
    ASSERT_GT(next, now) << "it would spin";
    now = next;
  }
  EXPECT_LE(made, 51);
}

TEST(ServePace, LeavesAfterALongTimeWithoutUse) {
  ServePace pace = filled(1);
  EXPECT_FALSE(pace.unused_for_long(kPaceStart + Millis(600'000)));
  EXPECT_TRUE(pace.unused_for_long(kPaceStart + Millis(600'001)));
  pace.taken(kPaceStart + Millis(600'000));
  EXPECT_FALSE(pace.unused_for_long(kPaceStart + Millis(1'200'000)));
}

}  // namespace
}  // namespace paddock::sandbox
