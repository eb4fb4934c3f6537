#include "controller/standby/database_clock.h"

#include <gtest/gtest.h>

namespace paddock::standby {
namespace {

TEST(DatabaseClock, IsComparedWithTheMiddleOfTheLook) {
  EXPECT_EQ(database_ahead({5'000}, {1'000}, {3'000}), Millis(3'000));
  EXPECT_EQ(database_ahead({1'000}, {5'000}, {5'000}), Millis(-4'000));
}

TEST(DatabaseClock, IsNotJudgedByALookThatSaysNothing) {
  EXPECT_EQ(database_ahead({}, {1'000}, {3'000}), std::nullopt) << "there is no store";
  EXPECT_EQ(database_ahead({5'000}, {3'000}, {1'000}), std::nullopt) << "ours was set back";
  EXPECT_EQ(database_ahead({5'000}, {1'000}, {12'000}), std::nullopt);
}

TEST(DatabaseClock, MayBeAMinuteOff) {
  for (const int sign : {1, -1}) {
    EXPECT_FALSE(is_wrong(Millis(sign * 60'000)));
    EXPECT_TRUE(is_wrong(Millis(sign * 60'001)));
  }
  EXPECT_EQ(clock_words(Millis(600'000)), "the database's clock is 10m ahead of this host's");
  EXPECT_EQ(clock_words(Millis(-600'000)), "the database's clock is 10m behind this host's");
}

}  // namespace
}  // namespace paddock::standby
