#include "node-agent/launch/deferred_teardown.h"

#include "node-agent/launch/attached_launch_fixture.h"

namespace paddock::launch {
namespace {

class Start : public Fed {
 protected:
  // What is left of a run that is over, and the launcher's end of it.
  AttachedLaunch used() {
    AttachedLaunch out = order();
    launchers_.push_back(std::move(connection_));
    return out;
  }
  bool ended(size_t index) const {
    pollfd hears{launchers_.at(index).get(), POLLIN, 0};
    return poll(&hears, 1, 0) > 0;
  }
  ManualClock clock_;
  DeferredTeardown start_{clock_, 2};
  std::vector<os::Fd> launchers_;
};

TEST_F(Start, AUseThatComesAloneHasTheProcessorsForItself) {
  EXPECT_EQ(start_.rest(), Millis(0));
  auto use = start_.begin();
  EXPECT_EQ(start_.rest(), Millis(5));
  EXPECT_EQ(start_.clean_up(), Millis(5));  // to be looked at when it is over
  clock_.advance(Millis(2));
  EXPECT_FALSE(use.keep(used()));  // as it is
  EXPECT_EQ(start_.clean_up(), Millis(3));
  EXPECT_FALSE(ended(0));
  clock_.advance(Millis(3));
  EXPECT_EQ(start_.rest(), Millis(0));
  EXPECT_GT(start_.clean_up(), Millis(1'000));
  EXPECT_TRUE(ended(0));
}

TEST_F(Start, UsesThatComeCloseTogetherLeaveNoTimeToWaitFor) {
  auto first = start_.begin();
  clock_.advance(Millis(10));
  auto second = start_.begin();
  EXPECT_EQ(start_.under_way(), 2);
  EXPECT_EQ(start_.rest(), Millis(0));
  EXPECT_TRUE(first.keep(used()));
  EXPECT_EQ(start_.clean_up(), Millis(2));  // its answer is on the way
  EXPECT_FALSE(ended(0));
  clock_.advance(Millis(2));
  auto third = start_.begin();  // which keeps nothing that is over
  start_.clean_up();
  EXPECT_TRUE(ended(0));
}

TEST_F(Start, EachEndsInItsTime) {
  EXPECT_TRUE(start_.begin().keep(used()));  // nobody looks before
  EXPECT_EQ(start_.clean_up(), Millis(5));
  clock_.advance(Millis(4));
  EXPECT_FALSE(start_.begin().keep(used()));  // somebody does
  clock_.advance(Millis(1));
  EXPECT_EQ(start_.clean_up(), Millis(1));
  EXPECT_TRUE(ended(0));
  EXPECT_FALSE(ended(1));
  EXPECT_EQ(start_.under_way(), 0);
}

TEST_F(Start, WhereOthersWaitForEveryProcessorNothingIsKept) {
  auto first = start_.begin();
  auto second = start_.begin();
  auto third = start_.begin();
  EXPECT_FALSE(third.keep(used()));
  EXPECT_TRUE(ended(0));
}

TEST_F(Start, KeepsNoMoreThanTheHostCanBear) {
  auto use = start_.begin();
  for (int i = 0; i < 17; ++i) use.keep(used());
  EXPECT_FALSE(ended(15));
  EXPECT_TRUE(ended(16));
}

}  // namespace
}  // namespace paddock::launch
