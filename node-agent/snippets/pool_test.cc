#include "node-agent/snippets/pool.h"

#include <gtest/gtest.h>

#include "node-agent/snippets/sandbox_fixture.h"

namespace paddock::snippets {
namespace {

class Waiting : public Sandboxes {
 protected:
  Pool pool(int64_t fewest, int64_t most) {
    return Pool([this] { return make(); }, PoolPace(fewest, most, clock_.mono()), clock_);
  }
  Result<std::unique_ptr<WarmSandbox>> make() {
    if (refuses_) return Error{Code::kUnavailable, "NOT_LISTENING", ""};
    return launch();
  }
  bool refuses_ = false;
};

TEST_F(Waiting, OneThatIsReadyIsTakenOnceAndAnotherIsMade) {
  Pool one = pool(1, 1);
  EXPECT_EQ(one.maintain(false), Pool::Maintained::kWanted);
  EXPECT_EQ(inside_.size(), 0u);
  EXPECT_EQ(one.maintain(true), Pool::Maintained::kMade);
  EXPECT_EQ(one.maintain(true), Pool::Maintained::kNothing);
  EXPECT_EQ(one.warming(), 1);
  EXPECT_EQ(one.take(), nullptr) << "it is not ready";
  inside_.at(0).say(".");
  EXPECT_EQ(one.ready(), 1);
  auto taken = one.take();
  ASSERT_NE(taken, nullptr);
  EXPECT_FALSE(inside_.at(0).is_ended());
  EXPECT_EQ(one.take(), nullptr);
  EXPECT_EQ(one.maintain(true), Pool::Maintained::kMade);
  taken.reset();
  EXPECT_TRUE(inside_.at(0).is_ended());
  EXPECT_FALSE(inside_.at(1).is_ended());
}

TEST_F(Waiting, TheOneThatHasWaitedLongestGoesFirstAndNoneThatHasEnded) {
  Pool three = pool(3, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(three.maintain(true), Pool::Maintained::kMade);
  for (Inside& each : inside_) each.say(".");
  inside_.at(0).lose_launcher();
  auto taken = three.take();
  ASSERT_NE(taken, nullptr);
  taken.reset();
  EXPECT_TRUE(inside_.at(1).is_ended());
  EXPECT_FALSE(inside_.at(2).is_ended());
  EXPECT_EQ(three.ready(), 1);
}

TEST_F(Waiting, RequestsThatFindNoneMakeItLargerUpToItsCeiling) {
  Pool some = pool(0, 2);
  EXPECT_EQ(some.maintain(true), Pool::Maintained::kNothing);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(some.take(), nullptr);
  EXPECT_EQ(some.maintain(true), Pool::Maintained::kMade);
  EXPECT_EQ(some.maintain(true), Pool::Maintained::kMade);
  EXPECT_EQ(some.maintain(true), Pool::Maintained::kNothing);
}

TEST_F(Waiting, OneThatIsTooOldIsReplaced) {
  Pool one = pool(1, 1);
  one.maintain(true);
  clock_.advance(Millis(600'001));
  EXPECT_EQ(one.maintain(true), Pool::Maintained::kMade);
  EXPECT_TRUE(inside_.at(0).is_ended());
  EXPECT_FALSE(inside_.at(1).is_ended());
}

TEST_F(Waiting, WhatIsDiscardedEndsAlsoWhileItIsMade) {
  Pool one = pool(1, 1);
  one.maintain(true);
  inside_.at(0).say(".");
  one.discard();
  EXPECT_TRUE(inside_.at(0).is_ended());
  EXPECT_EQ(one.take(), nullptr);
  Pool* meanwhile = nullptr;
  Pool other(
      [&] {
        auto made = launch();
        inside_.back().say(".");
        meanwhile->discard();
        return made;
      },
      PoolPace(1, 1, clock_.mono()), clock_);
  meanwhile = &other;
  EXPECT_EQ(other.maintain(true), Pool::Maintained::kMade);
  EXPECT_TRUE(inside_.back().is_ended());
  EXPECT_EQ(other.take(), nullptr);
}

TEST_F(Waiting, AfterAFailureItRestsAWhile) {
  Pool one = pool(1, 1);
  refuses_ = true;
  EXPECT_EQ(one.maintain(true), Pool::Maintained::kNothing);
  refuses_ = false;
  EXPECT_EQ(one.maintain(true), Pool::Maintained::kNothing);
  clock_.advance(Millis(5'000));
  EXPECT_EQ(one.maintain(true), Pool::Maintained::kMade);
}

}  // namespace
}  // namespace paddock::snippets
