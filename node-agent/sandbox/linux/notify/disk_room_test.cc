#include "node-agent/sandbox/linux/notify/disk_room.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

const MonoTime kStart = MonoTime() + Millis(1000);

TEST(DiskRoom, GivesWhatIsLeftAndNoMore) {
  DiskRoom room(100, {}, 0);
  EXPECT_EQ(room.take(60, kStart), true);
  EXPECT_EQ(room.take(40, kStart), true);
  EXPECT_EQ(room.take(1, kStart), std::nullopt);
  EXPECT_TRUE(room.wanted());
  EXPECT_FALSE(room.refused());
}

// What was removed meanwhile is room again, and nobody knows that before it was counted.
TEST(DiskRoom, LetsWhoAsksForMoreWaitForACount) {
  DiskRoom room(100, {}, 0);
  EXPECT_EQ(room.take(100, kStart), true);
  EXPECT_EQ(room.take(80, kStart), std::nullopt);
  room.counted(100, kStart + Millis(1));
  EXPECT_FALSE(room.wanted());
  EXPECT_EQ(room.take(80, kStart), true);
  EXPECT_EQ(room.take(80, kStart + Millis(2)), std::nullopt);
}

TEST(DiskRoom, RefusesWhatALaterCountHasNoRoomFor) {
  DiskRoom room(10, {}, 0);
  EXPECT_EQ(room.take(11, kStart), std::nullopt);
  room.counted(10, kStart + Millis(-1));
  EXPECT_EQ(room.take(11, kStart), std::nullopt) << "it was under way already";
  EXPECT_TRUE(room.wanted());
  room.counted(10, kStart);
  EXPECT_EQ(room.take(11, kStart), false);
  EXPECT_TRUE(room.refused());
  EXPECT_EQ(room.take(10, kStart), true) << "smaller ones still fit";
  room.counted(-5, kStart + Millis(1));
  EXPECT_EQ(room.take(1, kStart), false) << "over its limit";
}

// A program's shared memory may be larger than its workspace.
TEST(DiskRoom, CountsWhatIsAskedForFilesInMemoryByItself) {
  DiskRoom room(10, {}, 100);
  EXPECT_EQ(room.take(90, kStart, DiskRoom::Of::kMemory), true);
  EXPECT_EQ(room.take(10, kStart), true);
  EXPECT_EQ(room.take(20, kStart, DiskRoom::Of::kMemory), std::nullopt);
  EXPECT_TRUE(room.wanted());
  room.counted(0, kStart);
  EXPECT_EQ(room.take(20, kStart, DiskRoom::Of::kMemory), true);
  EXPECT_EQ(room.take(101, kStart, DiskRoom::Of::kMemory), false);
  EXPECT_FALSE(room.refused()) << "the disk has nothing to do with it";
}

}  // namespace
}  // namespace paddock::sandbox
