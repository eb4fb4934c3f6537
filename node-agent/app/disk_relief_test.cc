#include "node-agent/app/disk_relief.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

constexpr int64_t kMi = 1 << 20;
constexpr int64_t kMinFree = 256 * kMi;

std::optional<size_t> ends(int64_t free_mi, const std::vector<DiskUser>& runs,
                           int64_t min_free = kMinFree) {
  return whom_to_end({.bytes = free_mi * kMi}, min_free, runs);
}
DiskUser wrote(int64_t mi, int64_t asked_mi) { return {mi * kMi, asked_mi * kMi, false}; }

TEST(DiskRelief, EndsWhoWentMostBeyondWhatItAskedForAndNotWhoWroteMost) {
  const std::vector<DiskUser> runs = {wrote(5000, 6000), wrote(300, 16), wrote(900, 500)};
  EXPECT_EQ(ends(63, runs), 2u);
  EXPECT_EQ(ends(64, runs), std::nullopt) << "a quarter of minFree is left";
  EXPECT_EQ(ends(0, runs, 0), std::nullopt) << "the operator wants no line";
}

TEST(DiskRelief, EndsNobodyWhoKeepsToIt) {
  EXPECT_EQ(ends(1, {wrote(5000, 5000), wrote(16, 16)}), std::nullopt);
  EXPECT_EQ(ends(1, {}), std::nullopt);
}

TEST(DiskRelief, WaitsForWhatEndsAlreadyAndGoesOnIfThatIsNotEnough) {
  DiskUser going = wrote(300, 16);
  going.ending = true;
  EXPECT_EQ(ends(0, {going, wrote(200, 16)}), std::nullopt);
  going.written = 10 * kMi;
  EXPECT_EQ(ends(0, {going, wrote(200, 16)}), 1u);
}

TEST(DiskRelief, SaysWhatWouldHelp) {
  const std::string said = beyond_request_text(wrote(300, 16), 10 * kMi, kMinFree);
  EXPECT_THAT(said, testing::HasSubstr("has 10.0 MiB left"));
  EXPECT_THAT(said, testing::HasSubstr("300.0 MiB of 16.0 MiB"));
  EXPECT_THAT(said, testing::HasSubstr("`--disk`"));
}

}  // namespace
}  // namespace paddock::agent
