#include "common/http/clock_gap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/http_date.h"

namespace paddock::http {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr WallTime kSent{1'790'000'000'500};
constexpr WallTime kReceived{1'790'000'020'000};  // a request that was held for a while

std::optional<Millis> gap_at(Millis after_sent) {
  return clock_gap(format_http_date(kSent + after_sent), kSent, kReceived);
}

TEST(ClockGap, IsNoneWhereBothMayBeRight) {
  for (const int ms : {0, 10'000, 19'000}) EXPECT_EQ(gap_at(Millis(ms)), Millis(0)) << ms;
}

TEST(ClockGap, IsWhatTheRequestCannotExplain) {
  EXPECT_EQ(gap_at(Millis(79'500)), Millis(60'000));
  EXPECT_EQ(gap_at(Millis(-60'500)), Millis(-60'500));
}

TEST(ClockGap, IsNoneOfWhatIsNoDateOrWhenOurOwnClockWasSet) {
  EXPECT_EQ(clock_gap("soon", kSent, kReceived), std::nullopt);
  EXPECT_EQ(clock_gap(format_http_date({0}), kReceived, kSent), std::nullopt);
}

TEST(ClockGap, IsToldWithTheLineThatMendsIt) {
  EXPECT_EQ(clock_gap_text(kClockTolerance, "the controller"), "");
  EXPECT_EQ(clock_gap_text(-kClockTolerance, "the controller"), "");
  EXPECT_THAT(clock_gap_text(Millis(180'000), "the controller"),
              AllOf(HasSubstr("3m behind"), HasSubstr("the controller")));
  EXPECT_THAT(clock_gap_text(Millis(-7'200'000), "the controller"),
              AllOf(HasSubstr("120m ahead"), HasSubstr("the controller")));
  EXPECT_THAT(clock_gap_text(Millis(180'000), "x"), HasSubstr("`timedatectl set-ntp true`"));
}

}  // namespace
}  // namespace paddock::http
