#include "cli/instance/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

// So `paddock up` goes on to what its log says, as with any that ended while it was starting.
TEST(IdentityOfChild, OneThatEndedAtOnceHasOneAndIsNotAlive) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(1);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  const os::ProcessIdentity identity = identity_of_child(child);
  EXPECT_EQ(identity.pid, child);
  EXPECT_FALSE(os::alive(identity));
  const Result<bool> killed = stop_process(identity, Millis(0));
  EXPECT_TRUE(killed.ok() && !*killed);
  ::waitpid(child, nullptr, 0);
}

TEST(IdentityOfChild, OneThatGoesOnIsAlive) {
  const pid_t child = ::fork();
  if (child == 0) ::pause();
  const os::ProcessIdentity identity = identity_of_child(child);
  EXPECT_TRUE(os::alive(identity));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

// `paddock up` that was stopped, or whose host slept, has not waited meanwhile.
TEST(WaitUntil, ADeadlineComesLaterByTheTimeInWhichWeStoodStill) {
  ManualClock clock;
  SeededRandom random{1};
  const Env env{{}, "/", "/usr/bin", false, false, {}, {}, clock, random};
  LivedDeadline deadline(Millis(60'000), clock.mono());
  int asked = 0;
  EXPECT_TRUE(wait_until(env, deadline, [&] {
    clock.advance(Millis(3'600'000));
    return ++asked == 2;
  }));
  EXPECT_FALSE(wait_until(env, deadline, [&] {
    clock.advance(Millis(9'000));
    return false;
  }));
}

}  // namespace
}  // namespace paddock::cli
