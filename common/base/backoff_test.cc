#include "common/base/backoff.h"

#include <algorithm>

#include <climits>
#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(Backoff, DoublesUpToFiveSecondsAndIsSpreadOverTheUpperHalf) {
  SeededRandom random(1);
  const int64_t most[] = {200, 400, 800, 1'600, 3'200, 5'000, 5'000};
  for (int failed = 1; failed <= 7; ++failed) {
    const Millis full(most[failed - 1]);
    Millis shortest = full;
    Millis longest{0};
    for (int i = 0; i < 500; ++i) {
      const Millis wait = backoff(failed, random);
      shortest = std::min(shortest, wait);
      longest = std::max(longest, wait);
    }
    EXPECT_GE(shortest, full / 2);
    EXPECT_LT(shortest, full * 6 / 10);
    EXPECT_GT(longest, full * 9 / 10);
    EXPECT_LE(longest, full);
  }
}

TEST(Backoff, OfSeveralServersComesBackEachSecondForAWhile) {
  SeededRandom random(1);
  for (int failed = 1; failed <= 30; ++failed) {
    const Millis wait = backoff(failed, random, Servers::kSeveral);
    EXPECT_LE(wait, Millis(1'000)) << failed;
    EXPECT_GE(wait, Millis(failed < 4 ? 100 : 500)) << failed;
  }
  EXPECT_GE(backoff(31, random, Servers::kSeveral), Millis(2'500)) << "it is away for long";
}

TEST(Backoff, TakesAnyCount) {
  SeededRandom random(1);
  for (const int failed : {INT_MIN, -1, 0}) EXPECT_LE(backoff(failed, random), Millis(200));
  EXPECT_GE(backoff(INT_MAX, random), Millis(2'500));
  EXPECT_LE(backoff(INT_MAX, random), Millis(5'000));
}

}  // namespace
}  // namespace paddock
