#include "node-agent/app/alarm.h"

#include <thread>

#include <gtest/gtest.h>

namespace paddock::agent {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

TEST(Alarm, RingsForWhoWaitsAndForWhoComesLater) {
  Alarm alarm;
  std::thread other([&] { alarm.ring_in(1ms); });
  alarm.wait(Millis(60'000));
  other.join();
  alarm.ring_in(0us);
  alarm.wait(Millis(60'000));
}

TEST(Alarm, RingsAtTheEarliestTimeThatWasAskedFor) {
  Alarm alarm;
  const auto start = Steady::now();
  alarm.ring_in(3'600s);
  alarm.ring_in(10ms);
  alarm.ring_in(3'600s);
  alarm.wait(Millis(60'000));
  EXPECT_GE(Steady::now() - start, 10ms);
}

TEST(Alarm, RingsOnce) {
  Alarm alarm;
  alarm.ring_in(0us);
  alarm.wait(Millis(60'000));
  const auto start = Steady::now();
  alarm.wait(Millis(30));
  EXPECT_GE(Steady::now() - start, 30ms);
}

}  // namespace
}  // namespace paddock::agent
