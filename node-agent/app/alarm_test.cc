#include "node-agent/app/alarm.h"

#include <thread>

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

// How long it took, of a minute at most.
Steady::duration waited(Alarm& alarm) {
  const auto start = Steady::now();
  alarm.wait(Millis(60'000));
  return Steady::now() - start;
}

TEST(Alarm, RingsForWhoWaitsAndForWhoComesLater) {
  Alarm alarm;
  std::thread other([&] { alarm.ring_in(1ms); });
  EXPECT_LT(waited(alarm), 30s);
  other.join();
  alarm.ring_in(0us);
  EXPECT_LT(waited(alarm), 30s);
}

TEST(Alarm, RingsAtTheEarliestTimeThatWasAskedFor) {
  Alarm alarm;
  const auto start = Steady::now();
  alarm.ring_in(3'600s);
  alarm.ring_in(10ms);
  alarm.ring_in(3'600s);
  EXPECT_LT(waited(alarm), 30s);
  EXPECT_GE(Steady::now() - start, 10ms);
}

TEST(Alarm, RingsOnce) {
  Alarm alarm;
  alarm.ring_in(0us);
  EXPECT_LT(waited(alarm), 30s);
  const auto start = Steady::now();
  alarm.wait(Millis(30));
  EXPECT_GE(Steady::now() - start, 30ms);
}

}  // namespace
}  // namespace paddock::agent
