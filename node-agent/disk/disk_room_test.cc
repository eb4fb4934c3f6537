#include "node-agent/disk/disk_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int64_t kLine = 1000;

devices::DiskRoom bytes(int64_t free) { return {.bytes = free, .files = {}}; }

TEST(DiskRoom, IsFullBelowTheLineAndHasRoomAgainAQuarterAboveIt) {
  EXPECT_FALSE(is_disk_full(bytes(1000), kLine, false));
  EXPECT_TRUE(is_disk_full(bytes(999), kLine, false));
  EXPECT_TRUE(is_disk_full(bytes(1249), kLine, true));
  EXPECT_FALSE(is_disk_full(bytes(1250), kLine, true));
}

TEST(DiskRoom, WithoutALineNothingIsEverTooFull) {
  EXPECT_FALSE(is_disk_full({.bytes = 0, .files = 0}, 0, false));
  EXPECT_FALSE(is_disk_full({.bytes = 0, .files = 0}, 0, true));
}

TEST(DiskRoom, RunsOutOfFilesTooWhereTheyAreCounted) {
  EXPECT_TRUE(is_disk_full({.bytes = 1 << 30, .files = 1023}, kLine, false));
  EXPECT_FALSE(is_disk_full({.bytes = 1 << 30, .files = 1024}, kLine, false));
  EXPECT_TRUE(is_disk_full({.bytes = 1 << 30, .files = 1024}, kLine, true));
}

TEST(DiskRoom, ASmallDiskThatIsEmptyHasRoomAgain) {
  const auto free = [](int64_t bytes) {
    return devices::DiskRoom{.bytes = bytes, .all_bytes = 1100, .all_files = 200};
  };
  EXPECT_TRUE(is_disk_full(free(999), kLine, false));
  EXPECT_TRUE(is_disk_full(free(1049), kLine, true));
  EXPECT_FALSE(is_disk_full(free(1050), kLine, true));
  devices::DiskRoom few = free(1100);
  few.files = 20;
  EXPECT_FALSE(is_disk_full(few, kLine, false)) << "a tenth of the files that it has";
  few.files = 19;
  EXPECT_TRUE(is_disk_full(few, kLine, false));
}

TEST(DiskRoom, IsToldByNameWithWhatHelpsAndSinceWhen) {
  contracts::NodeStatus status;
  tell_disk(status, bytes(2000), {}, kLine, WallTime{1});
  EXPECT_EQ(contracts::disk_pressure(status), nullptr);
  EXPECT_EQ(status.capacity.disk.bytes, 2000);
  tell_disk(status, bytes(10), {}, kLine, WallTime{2});
  tell_disk(status, bytes(5), {}, kLine, WallTime{3});
  tell_disk(status, {}, {}, kLine, WallTime{4});  // nobody knows
  const contracts::Condition* full = contracts::disk_pressure(status);
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(full->reason, "NODE_DISK_FULL");
  EXPECT_EQ(full->last_transition_time->value, WallTime{2});
  for (const char* word : {"free space", "cacheQuota", "dataDir"})
    EXPECT_THAT(full->message, HasSubstr(word));
  EXPECT_THAT(full->message, Not(HasSubstr("/")));  // no path of the host
  EXPECT_EQ(status.capacity.disk.bytes, 5);
  tell_disk(status, bytes(2000), {}, kLine, WallTime{5});
  EXPECT_TRUE(status.conditions.empty());
}

TEST(DiskRoom, TellsWhatRunsMayAskForTogether) {
  contracts::NodeStatus status;
  const auto after = [&](int64_t free, const DiskUse& use) {
    tell_disk(status, bytes(free), use, kLine, WallTime{1});
    return status.allocatable_disk->bytes;
  };
  EXPECT_EQ(after(10'000, {}), 9'000) << "minFree is nobody's";
  EXPECT_EQ(after(8'000, {.written = 2'000}), 9'000) << "of what was asked for: it is no less";
  EXPECT_EQ(after(10'000, {.held = 4'000}), 5'000) << "files are on their way";
  EXPECT_EQ(after(500, {.written = 300}), 300) << "and nothing is left";
}

TEST(DiskRoom, FollowsADiskThatFillsUpAndIsEmptiedAgain) {
  const test::TempDir folder;
  const std::string said = test::in_child([&folder]() -> std::string {
    if (!test::mount_disk(folder.path(), "1m")) return test::kNoMounts;
    contracts::NodeStatus status;
    std::string out;
    const auto look = [&] {
      tell_disk(status, devices::disk_room(folder.path()), {}, 512 << 10, WallTime{1});
      out += contracts::disk_pressure(status) != nullptr ? "full " : "room ";
    };
    look();
    folder.write("large", std::string(700 << 10, 'x'));
    look();
    if (!os::remove_tree(folder / "large")) return "it cannot be removed";
    look();
    return out;
  });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, "room full room ");
}

TEST(DiskRoom, OfAFolderThatIsNotThereIsNotKnown) {
  EXPECT_FALSE(devices::disk_room("/no/such/folder").has_value());
}

}  // namespace
}  // namespace paddock::agent
