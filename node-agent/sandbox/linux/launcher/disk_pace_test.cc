#include "node-agent/sandbox/linux/launcher/disk_pace.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

const MonoTime kStart = MonoTime() + Millis(1'000'000);

// One that took two seconds, and ended just now.
DiskPace after_a_long_count() {
  DiskPace pace;
  pace.note_count(kStart, kStart + Millis(2'000));
  return pace;
}

TEST(DiskPace, RestsNineTimesAsLongAsACountTook) {
  DiskPace pace = after_a_long_count();
  EXPECT_FALSE(pace.is_due({}, kStart + Millis(19'999)));
  EXPECT_TRUE(pace.is_due({}, kStart + Millis(20'000)));
}

TEST(DiskPace, HurriesWhereTheRunMayBeOverItsLimit) {
  for (const DiskPace::Need& need :
       {DiskPace::Need{.over_since_last = true}, DiskPace::Need{.in_doubt = true}}) {
    DiskPace pace = after_a_long_count();
    EXPECT_FALSE(pace.is_due(need, kStart + Millis(3'999)));
    EXPECT_TRUE(pace.is_due(need, kStart + Millis(4'000)));
  }
}

// What it could take and give back while nobody looks is bounded in bytes, however long a count
// takes.
TEST(DiskPace, DoesNotRestWhereMoreThanTheBoundMayBeTaken) {
  DiskPace pace = after_a_long_count();
  DiskPace::Need need{.over_since_last = true, .bytes_over = DiskPace::kMostBytesAtRest};
  EXPECT_FALSE(pace.is_due(need, kStart + Millis(2'100)));
  ++need.bytes_over;
  EXPECT_TRUE(pace.is_due(need, kStart + Millis(2'100)));
}

TEST(DiskPace, LooksNowAndThenWhereLittleIsTaken) {
  DiskPace pace;
  pace.note_count(kStart, kStart);
  EXPECT_FALSE(pace.is_due({.little = true}, kStart));
  EXPECT_FALSE(pace.is_due({.little = true}, kStart + Millis(9'999)));
  EXPECT_TRUE(pace.is_due({.little = true}, kStart + Millis(10'000)));
}

}  // namespace
}  // namespace paddock::sandbox
