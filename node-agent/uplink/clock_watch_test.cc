#include "node-agent/uplink/clock_watch.h"

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

TEST(ClockWatch, TellsOfAGapOnceEitherWay) {
  EXPECT_EQ(clock_news(false, Millis(30'000)), ClockNews::kNone);
  for (const int gap : {30'001, -30'001, 1'000'000'000}) {
    EXPECT_EQ(clock_news(false, Millis(gap)), ClockNews::kApart) << gap;
    EXPECT_EQ(clock_news(true, Millis(gap)), ClockNews::kNone) << gap;
  }
}

TEST(ClockWatch, IsNotToldAgainAndAgainByAClockAtTheEdge) {
  EXPECT_EQ(clock_news(true, Millis(29'000)), ClockNews::kNone);
  EXPECT_EQ(clock_news(true, Millis(-15'001)), ClockNews::kNone);
  EXPECT_EQ(clock_news(true, Millis(-15'000)), ClockNews::kTogether);
  EXPECT_EQ(clock_news(true, Millis(0)), ClockNews::kTogether);
}

}  // namespace
}  // namespace paddock::agent
