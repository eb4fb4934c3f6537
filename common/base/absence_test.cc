#include "common/base/absence.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

class Away : public testing::Test {
 protected:
  Millis look() { return absence_.look(clock_.wall(), clock_.mono()); }
  ManualClock clock_;
  Absence absence_{Millis(3'000), clock_.wall(), clock_.mono()};
};

TEST_F(Away, WhoLooksOftenEnoughWasNeverAway) {
  for (int i = 0; i < 100; ++i) {
    clock_.advance(Millis(1'500));
    EXPECT_EQ(look(), Millis(0));
  }
}

TEST_F(Away, AnAbsenceIsToldOnceAndWithItsLength) {
  clock_.advance(Millis(3'000));
  EXPECT_EQ(look(), Millis(0));
  clock_.advance(Millis(3'001));
  EXPECT_EQ(look(), Millis(3'001));
  EXPECT_EQ(look(), Millis(0));
}

TEST_F(Away, AHostThatSleptMovesTheCalendarAlone) {
  clock_.skew_wall(Millis(3'600'000));
  EXPECT_EQ(look(), Millis(3'600'000));
  clock_.skew_wall(Millis(-3'600'000));
  EXPECT_EQ(look(), Millis(0)) << "a calendar that goes back is no absence";
}

}  // namespace
}  // namespace paddock
