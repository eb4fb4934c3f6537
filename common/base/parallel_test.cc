#include "common/base/parallel.h"

#include <atomic>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(AtOnce, EachTaskIsUnderWayWhileTheOthersAreAndAllHaveEndedAfterwards) {
  constexpr int kTasks = 4;
  std::latch all_began(kTasks);
  std::atomic<int> ended = 0;
  const std::function<void()> task = [&] {
    all_began.arrive_and_wait();
    ++ended;
  };
  at_once(std::vector<std::function<void()>>(kTasks, task));
  EXPECT_EQ(ended, kTasks);
}

TEST(AtOnce, OneTaskNeedsNoThread) {
  std::thread::id where;
  at_once({[&] { where = std::this_thread::get_id(); }});
  EXPECT_EQ(where, std::this_thread::get_id());
  at_once({});
}

}  // namespace
}  // namespace paddock
