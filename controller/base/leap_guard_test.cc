#include "controller/base/leap_guard.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class Guarding : public testing::Test {
 protected:
  bool holds() {
    guard_.look(clock_.wall(), clock_.mono());
    return guard_.holds(clock_.mono());
  }
  ManualClock clock_;
  LeapGuard guard_;
};

TEST_F(Guarding, HoldsForAnHourBehindALeapAndBelievesTheCalendarThen) {
  EXPECT_FALSE(holds()) << "there is nothing to compare with";
  clock_.skew_wall(hours(24 * 365));
  EXPECT_TRUE(holds());
  clock_.advance(minutes(59));
  EXPECT_TRUE(holds());
  clock_.advance(minutes(1));
  EXPECT_FALSE(holds());
}

TEST_F(Guarding, TimeThatPassesIsNoLeapNorIsASmallStepOrOneBack) {
  holds();
  clock_.advance(hours(100));
  EXPECT_FALSE(holds());
  clock_.skew_wall(minutes(10));
  EXPECT_FALSE(holds());
  clock_.skew_wall(-hours(100));
  EXPECT_FALSE(holds());
}

TEST_F(Guarding, ASecondLeapHoldsAnew) {
  guard_.note(hours(1), clock_.mono());
  clock_.advance(minutes(50));
  guard_.note(hours(1), clock_.mono());
  clock_.advance(minutes(50));
  EXPECT_TRUE(guard_.holds(clock_.mono()));
}

}  // namespace
}  // namespace paddock
