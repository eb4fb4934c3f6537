#include "common/launch/head_start.h"

#include "common/launch/fed_launch_fixture.h"

namespace paddock::launch {
namespace {

class Start : public Fed {
 protected:
  // What is left of a run that is over, and the launcher's end of it.
  FedLaunch used() {
    FedLaunch out = order();
    launchers_.push_back(std::move(connection_));
    return out;
  }
  bool ended(size_t index) const {
    pollfd hears{launchers_.at(index).get(), POLLIN, 0};
    return poll(&hears, 1, 0) > 0;
  }
  ManualClock clock_;
  HeadStart start_{clock_};
  std::vector<os::Fd> launchers_;
};

TEST_F(Start, AUseThatComesAloneHasTheProcessorsForItself) {
  EXPECT_EQ(start_.rest(), Millis(0));
  start_.begun();
  EXPECT_EQ(start_.rest(), Millis(5));
  clock_.advance(Millis(2));
  EXPECT_FALSE(start_.keep(used()));  // who rests tidies anyhow
  EXPECT_EQ(start_.tidy(), Millis(3));
  EXPECT_FALSE(ended(0));
  clock_.advance(Millis(3));
  EXPECT_EQ(start_.rest(), Millis(0));
  EXPECT_GT(start_.tidy(), Millis(1'000));
  EXPECT_TRUE(ended(0));
}

TEST_F(Start, UsesThatComeCloseTogetherLeaveNoTimeToWaitFor) {
  start_.begun();
  clock_.advance(Millis(10));
  start_.begun();
  EXPECT_EQ(start_.rest(), Millis(0));
  EXPECT_TRUE(start_.keep(used()));
  EXPECT_EQ(start_.tidy(), Millis(2));  // its answer is on the way
  EXPECT_FALSE(ended(0));
  clock_.advance(Millis(2));
  start_.begun();  // which keeps nothing that is over
  start_.tidy();
  EXPECT_TRUE(ended(0));
}

TEST_F(Start, EachEndsInItsTimeAndAllWithIt) {
  EXPECT_TRUE(start_.keep(used()));
  clock_.advance(Millis(1));
  EXPECT_TRUE(start_.keep(used()));
  clock_.advance(Millis(1));
  EXPECT_EQ(start_.tidy(), Millis(1));
  EXPECT_TRUE(ended(0));
  EXPECT_FALSE(ended(1));
}

TEST_F(Start, KeepsNoMoreThanTheHostCanBear) {
  for (int i = 0; i < 17; ++i) start_.keep(used());
  EXPECT_FALSE(ended(15));
  EXPECT_TRUE(ended(16));
}

}  // namespace
}  // namespace paddock::launch
