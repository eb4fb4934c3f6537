#include "node-agent/disk/disk_relief.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

constexpr int64_t kMi = 1 << 20;
constexpr int64_t kMinFree = 256 * kMi;

devices::DiskRoom left(int64_t free_mi, std::optional<int64_t> files = {}) {
  return {.bytes = free_mi * kMi, .files = files, .all_files = 100'000};
}
std::optional<size_t> ends(const devices::DiskRoom& room, const std::vector<DiskUser>& users,
                           int64_t min_free = kMinFree) {
  return whom_to_end(shortage(room, min_free, users), room, min_free, users);
}
DiskUser wrote(int64_t mi, int64_t asked_mi, int64_t files = 1) {
  return {{.bytes = mi * kMi, .files = files}, asked_mi * kMi, false};
}

TEST(DiskRelief, EndsWhoWentMostBeyondWhatItAskedForAndNotWhoWroteMost) {
  const std::vector<DiskUser> users = {wrote(5000, 6000), wrote(300, 16), wrote(900, 500)};
  EXPECT_EQ(ends(left(63), users), 2u);
  EXPECT_EQ(ends(left(64), users), std::nullopt) << "a quarter of minFree is left";
  EXPECT_EQ(ends(left(0), users, 0), std::nullopt) << "the operator wants no line";
}

TEST(DiskRelief, EndsNobodyWhoKeepsToIt) {
  EXPECT_EQ(ends(left(1), {wrote(5000, 5000), wrote(16, 16)}), std::nullopt);
  EXPECT_EQ(ends(left(1), {}), std::nullopt);
}

TEST(DiskRelief, EndsWhoKeepsItFromBeingCountedUnlessTheEndOfOneWhoIsSeenIsEnough) {
  DiskUser deep = wrote(0, 5000);
  deep.taken.unreadable = true;
  DiskUser many = wrote(0, 5000);
  many.taken.cut_off = true;
  EXPECT_EQ(ends(left(63), {deep, wrote(900, 16)}), 1u);
  EXPECT_EQ(ends(left(10), {wrote(53, 16), deep}), 1u) << "54 MiB are missing";
  EXPECT_EQ(ends(left(10), {wrote(54, 16), deep}), 0u);
  EXPECT_EQ(ends(left(63), {wrote(900, 900), many}), 1u);
  EXPECT_THAT(beyond_request_text(Shortage::kBytes, "run", deep, left(63), kMinFree),
              testing::HasSubstr("counted"));
}

TEST(DiskRelief, WaitsForWhatEndsAlreadyAndGoesOnIfThatIsNotEnough) {
  DiskUser going = wrote(300, 16);
  going.ending = true;
  EXPECT_EQ(ends(left(0), {going, wrote(200, 16)}), std::nullopt);
  going.taken.bytes = 10 * kMi;
  EXPECT_EQ(ends(left(0), {going, wrote(200, 16)}), 1u);
}

// A quarter of the 1,024 at which a node gets no more.
TEST(DiskRelief, EndsWhoHasMostFilesBeyondItsShareWhereThoseComeToTheirEnd) {
  const std::vector<DiskUser> users = {wrote(900, 16, 500), wrote(1, 160, 9'000),
                                       wrote(1, 16, 2'000)};
  EXPECT_EQ(ends(left(10'000, 255), users), 2u) << "16 MiB are 1,024 files";
  EXPECT_EQ(ends(left(10'000, 256), users), std::nullopt);
  EXPECT_EQ(ends(left(10'000), users), std::nullopt) << "this one makes them as it needs them";
  EXPECT_EQ(ends(left(10, 255), users), 0u) << "bytes first";
  DiskUser going = users[2];
  going.ending = true;
  EXPECT_EQ(ends(left(10'000, 255), {users[0], going}), std::nullopt);
  EXPECT_THAT(beyond_request_text(Shortage::kFiles, "session", users[2], left(1, 255), kMinFree),
              testing::AllOf(testing::HasSubstr("255 files"), testing::HasSubstr("2000 of 1024"),
                             testing::HasSubstr("256 files")));
}

TEST(DiskRelief, SaysWhatWouldHelp) {
  const std::string said =
      beyond_request_text(Shortage::kBytes, "run", wrote(300, 16), left(10), kMinFree);
  EXPECT_THAT(said, testing::HasSubstr("has 10.0 MiB left"));
  EXPECT_THAT(said, testing::HasSubstr("300.0 MiB of 16.0 MiB"));
  EXPECT_THAT(said, testing::HasSubstr("`--disk`"));
}

}  // namespace
}  // namespace paddock::agent
