#include "node-agent/base/wakeup_timer.h"

#include <thread>

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

// How long it took, of ten minutes at most.
Steady::duration waited(WakeupTimer& timer) {
  const auto start = Steady::now();
  timer.wait(Millis(600'000));
  return Steady::now() - start;
}

TEST(WakeupTimer, RingsForWhoWaitsAndForWhoComesLater) {
  WakeupTimer timer;
  std::thread other([&] { timer.schedule(1ms); });
  EXPECT_LT(waited(timer), 5min);
  other.join();
  timer.schedule(0us);
  EXPECT_LT(waited(timer), 5min);
}

TEST(WakeupTimer, RingsAtTheEarliestTimeThatWasAskedFor) {
  WakeupTimer timer;
  const auto start = Steady::now();
  timer.schedule(3'600s);
  timer.schedule(10ms);
  timer.schedule(3'600s);
  EXPECT_LT(waited(timer), 5min);
  EXPECT_GE(Steady::now() - start, 10ms);
}

TEST(WakeupTimer, RingsOnce) {
  WakeupTimer timer;
  timer.schedule(0us);
  EXPECT_LT(waited(timer), 5min);
  const auto start = Steady::now();
  timer.wait(Millis(30));
  EXPECT_GE(Steady::now() - start, 30ms);
}

}  // namespace
}  // namespace paddock::agent
