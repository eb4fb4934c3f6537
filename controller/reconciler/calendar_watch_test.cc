#include "controller/reconciler/calendar_watch.h"

#include <gtest/gtest.h>

namespace paddock::reconciler {
namespace {

TEST(CalendarWatch, TellsOnceByHowMuchItWasSetBackAndNothingElse) {
  ManualClock clock;
  CalendarWatch watch(Millis(3'000), clock.wall(), clock.mono());
  const auto look = [&] { return watch.look(clock.wall(), clock.mono()); };
  clock.advance(Millis(3'600'000));
  EXPECT_EQ(look(), Millis(0)) << "time passed";
  clock.skew_wall(Millis(3'600'000));
  EXPECT_EQ(look(), Millis(0)) << "forward";
  clock.advance(Millis(1'000));
  clock.skew_wall(Millis(-7'200'000));
  EXPECT_EQ(look(), Millis(7'200'000));
  EXPECT_EQ(look(), Millis(0)) << "told once";
  clock.skew_wall(Millis(-3'000));
  EXPECT_EQ(look(), Millis(0)) << "a small step";
}

}  // namespace
}  // namespace paddock::reconciler
