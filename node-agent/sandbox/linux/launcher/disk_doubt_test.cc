#include "node-agent/sandbox/linux/launcher/disk_doubt.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

TEST(DiskDoubt, EndsWhatCouldNotBeCountedForTwoSeconds) {
  DiskDoubt doubt;
  const MonoTime start;
  EXPECT_FALSE(doubt.note(true, 1, start));
  EXPECT_TRUE(doubt.any());
  EXPECT_FALSE(doubt.note(true, 1, start + Millis(1'000)));
  EXPECT_FALSE(doubt.note(true, 1, start + Millis(1'999)));
  EXPECT_TRUE(doubt.note(true, 1, start + Millis(2'000)));
}

TEST(DiskDoubt, IsOverWithTheFirstCountThatMissesNothing) {
  DiskDoubt doubt;
  const MonoTime start;
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_FALSE(doubt.note(i % 4 != 3, 1, start + Millis(i * 500)));
    EXPECT_EQ(doubt.any(), i % 4 != 3);
  }
}

// A folder that takes long to count is counted three times all the same.
TEST(DiskDoubt, NeedsSeveralCounts) {
  DiskDoubt doubt;
  const MonoTime start;
  EXPECT_FALSE(doubt.note(true, 1, start));
  EXPECT_FALSE(doubt.note(true, 1, start + Millis(20'000)));
  EXPECT_TRUE(doubt.note(true, 1, start + Millis(40'000)));
}

// However short the time: else as much as a disk takes in two seconds would be let through.
TEST(DiskDoubt, EndsWhatIsMoreThanTheBoundInThreeCounts) {
  DiskDoubt doubt;
  const MonoTime start;
  const int64_t more = DiskDoubt::kMostBytes + 1;
  EXPECT_FALSE(doubt.note(true, more, start));
  EXPECT_FALSE(doubt.note(true, more, start + Millis(100)));
  EXPECT_FALSE(doubt.note(true, DiskDoubt::kMostBytes, start + Millis(200)));
  EXPECT_FALSE(doubt.note(true, more, start + Millis(300)));
  EXPECT_FALSE(doubt.note(false, more, start + Millis(400)));
  EXPECT_FALSE(doubt.note(true, more, start + Millis(500)));
  EXPECT_FALSE(doubt.note(true, more, start + Millis(600)));
  EXPECT_TRUE(doubt.note(true, more, start + Millis(700)));
}

}  // namespace
}  // namespace paddock::sandbox
