#include "node-agent/app/look_pace.h"

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

constexpr MonoTime at(int64_t seconds) { return MonoTime{seconds * 1'000}; }

TEST(LookPace, SeldomWhileNobodyHasADevice) {
  LookPace pace(Millis(30'000), at(0));
  EXPECT_FALSE(pace.due(at(5), false));
  EXPECT_FALSE(pace.due(at(25), false));
  EXPECT_TRUE(pace.due(at(30), false));
  EXPECT_FALSE(pace.due(at(35), false));
}

TEST(LookPace, EachTimeWhileARunHasOneAndOnceAfterwards) {
  LookPace pace(Millis(30'000), at(0));
  EXPECT_TRUE(pace.due(at(5), true));
  EXPECT_TRUE(pace.due(at(10), true));
  EXPECT_TRUE(pace.due(at(15), false));
  EXPECT_FALSE(pace.due(at(20), false));
  EXPECT_TRUE(pace.due(at(45), false));
}

}  // namespace
}  // namespace paddock::agent
