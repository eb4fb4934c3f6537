#include "node-agent/sandbox/linux/launcher/disk_pace.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

TEST(DiskPace, TakesATenthOfOneProcessor) {
  EXPECT_EQ(rest_after(Millis(0), Millis(0)), Millis(0));
  EXPECT_EQ(rest_after(Millis(10), Millis(5)), Millis(135));
  EXPECT_EQ(rest_after(Millis(60'000), Millis(0)), Millis(540'000));
}

TEST(DiskPace, WhoDelaysTheCountOfOpenFilesWinsLittleTime) {
  EXPECT_EQ(rest_after(Millis(0), Millis(4'999)), Millis(2'000));
  EXPECT_EQ(rest_after(Millis(100), Millis(30'000)), Millis(2'900));
}

}  // namespace
}  // namespace paddock::sandbox
