#include "common/base/time.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Time, IsWrittenInRfc3339) {
  EXPECT_EQ(format_time({0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_time({1'767'323'045'678}), "2026-01-02T03:04:05Z");
  EXPECT_EQ(format_time({1'767'323'045'678}, true), "2026-01-02T03:04:05.678Z");
  EXPECT_EQ(format_time({-1}, true), "1969-12-31T23:59:59.999Z");
}

TEST(Time, IsReadBackAsWritten) {
  for (const int64_t ms :
       {int64_t{0}, int64_t{1}, int64_t{951'782'400'000}, int64_t{4'102'444'799'999}}) {
    EXPECT_EQ(parse_time(format_time({ms}, true)), WallTime{ms});
  }
  EXPECT_EQ(parse_time("2024-02-29T23:59:59Z"), WallTime{1'709'251'199'000});
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-13-02T03:04:05Z",
        "2026-02-30T03:04:05Z", "2025-02-29T00:00:00Z", "2026-01-02T24:00:00Z",
        "2026-01-02T03:60:05Z", "2026-01-02T03:04:60Z", "2026-01-02T-0:04:05Z",
        "2026-01-02T03:04:05.6Z", "2026-01-02T03:04:05.-00Z", "2026-01-02T03:04:05+01:00",
        "-026-01-02T03:04:05Z", "20a6-01-02T03:04:05Z"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

TEST(Age, IsShownAsKubectlShowsIt) {
  EXPECT_EQ(format_age(seconds(-3)), "0s");
  EXPECT_EQ(format_age(seconds(12)), "12s");
  EXPECT_EQ(format_age(seconds(119)), "119s");
  EXPECT_EQ(format_age(seconds(120)), "2m");
  EXPECT_EQ(format_age(seconds(303)), "5m3s");
  EXPECT_EQ(format_age(minutes(42)), "42m");
  EXPECT_EQ(format_age(minutes(190)), "3h10m");
  EXPECT_EQ(format_age(hours(9)), "9h");
  EXPECT_EQ(format_age(hours(50)), "2d");
}

TEST(ManualClock, MovesOnlyWhenTold) {
  ManualClock clock({1000});
  const MonoTime start = clock.mono();
  clock.advance(Millis(250));
  clock.skew_wall(hours(-1));
  EXPECT_EQ(clock.wall(), WallTime{1250 - 3'600'000});
  EXPECT_EQ(clock.mono() - start, Millis(250));
}

TEST(SystemClock, NeverGoesBack) {
  const SystemClock clock;
  const MonoTime before = clock.mono();
  EXPECT_LE(before, clock.mono());
  EXPECT_GT(clock.wall(), WallTime{1'700'000'000'000});
}

}  // namespace
}  // namespace paddock
