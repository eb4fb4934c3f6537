#include "controller/http_server/step_pool.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "controller/http_server/server_fixture.h"
#include "controller/http_server/stop_signal.h"

namespace paddock::http_server {
namespace {

TEST(StepPool, AnyNumberOfStepsNeedsNoMoreThreadsAndIsDoneInOrder) {
  StepPool pool(StopSignal::make_event().value());
  ASSERT_TRUE(pool.start(1));
  std::vector<int> done;  // of one thread
  Tally all;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(pool.run([&, i] {
      done.push_back(i);
      all.add();
    }));
  }
  ASSERT_TRUE(all.wait_until(1000));
  EXPECT_TRUE(std::ranges::is_sorted(done));
}

TEST(StepPool, AStepThatComputesForLongHoldsUpNobodyWhileAThreadIsLeft) {
  StepPool pool(StopSignal::make_event().value());
  ASSERT_TRUE(pool.start(2));
  Tally others;
  Tally ended;
  ASSERT_TRUE(pool.run([&] {
    EXPECT_TRUE(others.wait_until(100));
    ended.add();
  }));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.run([&] { others.add(); }));
  EXPECT_TRUE(ended.wait_until(1));
}

TEST(StepPool, TheStopDoesWhatWasTakenAndTakesNoMore) {
  StepPool pool(StopSignal::make_event().value());
  ASSERT_TRUE(pool.start(2));
  Tally done;
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(pool.run([&] { done.add(); }));
  pool.stop();
  EXPECT_EQ(done.count(), 200);
  EXPECT_FALSE(pool.run([&] { done.add(); }));
  pool.stop();
  EXPECT_EQ(done.count(), 200);
}

}  // namespace
}  // namespace paddock::http_server
