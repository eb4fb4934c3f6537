#include "controller/nodes/cool_down.h"

#include <gtest/gtest.h>

namespace paddock::nodes {
namespace {

using contracts::CoolDown;

class Resting : public testing::Test {
 protected:
  // The node rests to its end and fails again.
  Millis next_rest(const std::string& reason = "NODE_DISK_FULL") {
    if (last_) now_ = last_->until->value;
    last_ = after_refusal(last_, reason, "it is full", now_);
    return last_->until->value - now_;
  }
  WallTime now_{1'750'000'000'000};
  std::optional<CoolDown> last_;
};

TEST_F(Resting, EachFailureInARowRestsTwiceAsLongUpToFiveMinutes) {
  EXPECT_EQ(next_rest(), Millis(2'000));
  EXPECT_EQ(next_rest(), Millis(4'000));
  EXPECT_EQ(next_rest(), Millis(8'000));
  for (int i = 0; i < 100; ++i) next_rest();
  EXPECT_EQ(next_rest(), std::chrono::minutes(5));
  EXPECT_EQ(last_->failures, 104);
}

TEST_F(Resting, RunsThatWereGivenBeforeTheRestTellNothingNew) {
  next_rest();
  const CoolDown same = after_refusal(last_, "NODE_DISK_FULL", "it is full", now_ + Millis(1));
  EXPECT_EQ(same.failures, 1);
  EXPECT_EQ(same.until->value, last_->until->value);
}

TEST_F(Resting, CausesThatAlternateAreAsOne) {
  EXPECT_EQ(next_rest("NODE_DISK_FULL"), Millis(2'000));
  EXPECT_EQ(next_rest("SANDBOX_UNAVAILABLE"), Millis(4'000));
  EXPECT_EQ(next_rest("NODE_DISK_FULL"), Millis(8'000));
}

TEST_F(Resting, WhatMayBeTheRunsDoingCountsFromTheSecondInARowAndRestsShortly) {
  const auto fail = [&] {
    if (last_ && last_->until) now_ = last_->until->value;
    last_ = after_refusal(last_, "LAUNCHER_LOST", "it died", now_, Blame::kNodeOrRun);
    return last_->until ? last_->until->value - now_ : Millis(0);
  };
  EXPECT_EQ(fail(), Millis(0));
  EXPECT_EQ(last_->failures, 1);
  EXPECT_EQ(fail(), Millis(4'000));
  for (int i = 0; i < 20; ++i) fail();
  EXPECT_EQ(fail(), Millis(30'000));
}

TEST_F(Resting, ALongTimeBeginsAnew) {
  next_rest("SANDBOX_UNAVAILABLE");
  next_rest("SANDBOX_UNAVAILABLE");
  last_->until = wire::Timestamp{now_ + std::chrono::hours(1)};
  EXPECT_EQ(next_rest("SANDBOX_UNAVAILABLE"), Millis(2'000));
}

TEST_F(Resting, ARestEndsAndNoClockThatGoesBackMakesItLonger) {
  next_rest();
  EXPECT_TRUE(rests(*last_, now_));
  EXPECT_TRUE(rests(*last_, now_ + Millis(1'999)));
  EXPECT_FALSE(rests(*last_, now_ + Millis(2'000)));
  EXPECT_FALSE(rests(*last_, now_ + -std::chrono::hours(1)));
  last_->until.reset();
  EXPECT_FALSE(rests(*last_, now_));
}

}  // namespace
}  // namespace paddock::nodes
