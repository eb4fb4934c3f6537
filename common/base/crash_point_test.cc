#include "common/base/crash_point.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <initializer_list>

#include <gtest/gtest.h>

namespace paddock {
namespace {

#ifdef NDEBUG
TEST(CrashPoint, IsNotInARelease) { GTEST_SKIP() << "this build has no crash points"; }
#else

// In a process of its own: the wish is read once.
[[noreturn]] void pass(const char* wish, std::initializer_list<const char*> places) {
  ::setenv("PADDOCK_CRASH_AT", wish, 1);
  for (const char* place : places) PADDOCK_CRASH_POINT(place);
  ::_exit(7);
}

TEST(CrashPoint, KillsAtTheNamedPlaceTheNthTime) {
  EXPECT_EXIT(pass("here", {"there", "here"}), testing::KilledBySignal(SIGKILL), "");
  EXPECT_EXIT(pass("here:2", {"here", "here"}), testing::KilledBySignal(SIGKILL), "");
}

TEST(CrashPoint, LetsAllElsePass) {
  EXPECT_EXIT(pass("", {"here"}), testing::ExitedWithCode(7), "");
  EXPECT_EXIT(pass("here:2", {"here", "there"}), testing::ExitedWithCode(7), "");
  EXPECT_EXIT(pass("her", {"here"}), testing::ExitedWithCode(7), "");
}

#endif

}  // namespace
}  // namespace paddock
