#include "node-agent/sandbox/linux/launcher/disk_pace.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

TEST(DiskPace, TakesATenthOfOneProcessor) {
  for (const bool still : {false, true}) {
    EXPECT_EQ(rest_after(Millis(0), Millis(0), still), Millis(0));
    EXPECT_EQ(rest_after(Millis(10), Millis(5), still), Millis(135));
    EXPECT_EQ(rest_after(Millis(60'000), Millis(0), still), Millis(540'000));
  }
}

TEST(DiskPace, WhoDelaysTheCountOfOpenFilesWinsLittleTime) {
  EXPECT_EQ(rest_after(Millis(0), Millis(4'999), false), Millis(2'000));
  EXPECT_EQ(rest_after(Millis(100), Millis(4'999), false), Millis(2'900));
}

TEST(DiskPace, WhoStoodStillMeanwhileRunsForNineTenthsOfTheTime) {
  EXPECT_EQ(rest_after(Millis(0), Millis(20'000), true), Millis(180'000));
}

}  // namespace
}  // namespace paddock::sandbox
