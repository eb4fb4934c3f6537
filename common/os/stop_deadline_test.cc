#include "common/os/stop_deadline.h"

#include <unistd.h>

#include <cstdio>

#include <gtest/gtest.h>

namespace paddock::os {
namespace {

[[noreturn]] void hang() {
  for (;;) ::pause();
}

TEST(StopDeadline, EndsAProcessThatDoesNotStopAndHasItsLastWordsSaid) {
  EXPECT_EXIT(
      {
        StopDeadline deadline(Millis(0));
        const StopDeadline::LastWords words(deadline, [] { std::fputs("farewell\n", stderr); });
        deadline.begin();
        hang();
      },
      testing::ExitedWithCode(0), "farewell\n.*stopping takes too long");
}

TEST(StopDeadline, EndsItThoughItsLastWordsWaitForever) {
  EXPECT_EXIT(
      {
        StopDeadline deadline(Millis(0));
        const StopDeadline::LastWords words(deadline, [] { hang(); });
        deadline.begin(3);
        deadline.begin();
        hang();
      },
      testing::ExitedWithCode(3), "");
}

TEST(StopDeadline, LeavesAloneWhoStopsInTimeOrIsNotAskedTo) {
  {
    StopDeadline deadline(std::chrono::hours(1));
    const StopDeadline::LastWords words(deadline, [] { FAIL(); });
    deadline.begin();
  }
  { const StopDeadline never_asked(Millis(0)); }
}

// Words of what is gone are not said.
TEST(StopDeadline, ForgetsLastWordsThatAreTakenBack) {
  EXPECT_EXIT(
      {
        StopDeadline deadline(Millis(0));
        {
          const StopDeadline::LastWords words(deadline, [] { std::fputs("farewell\n", stderr); });
        }
        deadline.begin();
        hang();
      },
      testing::ExitedWithCode(0), "^[^\n]*stopping takes too long[^\n]*\n$");
}

}  // namespace
}  // namespace paddock::os
