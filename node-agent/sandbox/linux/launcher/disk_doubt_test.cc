#include "node-agent/sandbox/linux/launcher/disk_doubt.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

TEST(DiskDoubt, EndsWhatCouldNotBeCountedForTwoSeconds) {
  DiskDoubt doubt;
  const MonoTime start;
  EXPECT_FALSE(doubt.note(true, start));
  EXPECT_TRUE(doubt.any());
  EXPECT_FALSE(doubt.note(true, start + Millis(1'000)));
  EXPECT_FALSE(doubt.note(true, start + Millis(1'999)));
  EXPECT_TRUE(doubt.note(true, start + Millis(2'000)));
}

TEST(DiskDoubt, IsOverWithTheFirstCountThatMissesNothing) {
  DiskDoubt doubt;
  const MonoTime start;
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_FALSE(doubt.note(i % 4 != 3, start + Millis(i * 500)));
    EXPECT_EQ(doubt.any(), i % 4 != 3);
  }
}

// A folder that takes long to count is counted three times all the same.
TEST(DiskDoubt, NeedsSeveralCounts) {
  DiskDoubt doubt;
  const MonoTime start;
  EXPECT_FALSE(doubt.note(true, start));
  EXPECT_FALSE(doubt.note(true, start + Millis(20'000)));
  EXPECT_TRUE(doubt.note(true, start + Millis(40'000)));
}

}  // namespace
}  // namespace paddock::sandbox
