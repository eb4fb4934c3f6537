#include "common/base/suspension.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

class SuspensionDetectorTest : public testing::Test {
 protected:
  Millis look() { return detector_.look(clock_.wall(), clock_.mono()); }
  ManualClock clock_;
  SuspensionDetector detector_{Millis(3'000), clock_.wall(), clock_.mono()};
};

TEST_F(SuspensionDetectorTest, WhoLooksOftenEnoughWasNeverAway) {
  for (int i = 0; i < 100; ++i) {
    clock_.advance(Millis(1'500));
    EXPECT_EQ(look(), Millis(0));
  }
}

TEST_F(SuspensionDetectorTest, ASuspensionIsToldOnceAndWithItsLength) {
  clock_.advance(Millis(3'000));
  EXPECT_EQ(look(), Millis(0));
  clock_.advance(Millis(3'001));
  EXPECT_EQ(look(), Millis(3'001));
  EXPECT_EQ(look(), Millis(0));
}

TEST_F(SuspensionDetectorTest, AHostThatSleptMovesTheCalendarAlone) {
  clock_.skew_wall(Millis(3'600'000));
  EXPECT_EQ(look(), Millis(3'600'000));
  clock_.skew_wall(Millis(-3'600'000));
  EXPECT_EQ(look(), Millis(0)) << "a calendar that goes back is no suspension";
}

TEST(LivedTime, CountsOfALongStandstillNoMoreThanOfOneLook) {
  ManualClock clock;
  LivedTime lived(Millis(10'000), clock.mono());
  clock.advance(Millis(4'000));
  EXPECT_EQ(lived.look(clock.mono()), Millis(4'000));
  clock.advance(Millis(3'600'000));
  EXPECT_EQ(lived.look(clock.mono()), Millis(14'000));
  clock.advance(Millis(1'000));
  EXPECT_EQ(lived.look(clock.mono()), Millis(15'000));
}

TEST(LivedDeadline, ComesForWhoeverWaitsAndNotForWhoStoodStill) {
  ManualClock clock;
  LivedDeadline end(Millis(30'000), clock.mono());
  EXPECT_EQ(end.poll_ms(clock.mono()), 5'000);
  clock.advance(Millis(3'600'000));
  EXPECT_EQ(end.left(clock.mono()), Millis(20'000));
  for (int i = 0; i < 3; ++i) {
    clock.advance(Millis(5'000));
    EXPECT_GT(end.left(clock.mono()), Millis(0));
  }
  clock.advance(Millis(4'000));
  EXPECT_EQ(end.poll_ms(clock.mono()), 1'000);
  clock.advance(Millis(1'000));
  EXPECT_EQ(end.left(clock.mono()), Millis(0));
  EXPECT_EQ(end.poll_ms(clock.mono()), 0);
}

}  // namespace
}  // namespace paddock
