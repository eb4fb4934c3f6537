#include "node-agent/sandbox/linux/launcher/time_keeper.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

// A child that never ends by itself stands for the sandbox; this thread, which waits for it and
// does nothing else, for a supervisor that is held up.
class TimeKeeperTest : public testing::Test {
 protected:
  TimeKeeperTest() : cgroup_(make_cgroup({}, false, false).value()) {
    child_ = fork();
    if (child_ == 0) {
      for (;;) pause();
    }
    pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, child_, 0)));
  }
  Timed timed() {
    return {.plan = plan_, .cgroup = *cgroup_, .clock = clock_, .init = pidfd_.get()};
  }
  int how_it_ended() const {
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

  SandboxPlan plan_;
  SystemClock clock_;
  std::unique_ptr<Cgroup> cgroup_;
  pid_t child_ = -1;
  os::Fd pidfd_;
};

// proves partly: VLT-82
TEST_F(TimeKeeperTest, EndsARunAtItsLimitThoughNobodyElseMoves) {
  plan_.launcher.wall_time = Millis(1);
  TimeKeeper keeper(timed());
  keeper.start_thread();
  ASSERT_TRUE(keeper.has_thread());
  ASSERT_TRUE(keeper.note_started(clock_.mono()));
  EXPECT_EQ(how_it_ended(), SIGKILL);
  EXPECT_EQ(keeper.state().cause, EndCause::kWallTime);
  EXPECT_TRUE(keeper.state().killed.has_value());
}

// The whole host may have stood still, or all that belongs to the run: a frozen cgroup, SIGSTOP.
TEST_F(TimeKeeperTest, CountsNoTimeInWhichItStoodStillItself) {
  plan_.launcher.wall_time = Millis(20'000);
  TimeKeeper keeper(timed());
  MonoTime now = clock_.mono();
  const auto live = [&](Millis time) {
    for (Millis lived{0}; lived < time; lived += Millis(500)) {
      now = now + Millis(500);
      keeper.handle(keeper.waits_for(), now);
    }
  };
  ASSERT_TRUE(keeper.note_started(now));
  live(Millis(12'000));
  now = now + Millis(3'600'000);
  live(Millis(5'000));
  EXPECT_EQ(keeper.state().cause, EndCause::kNone);
  ASSERT_TRUE(keeper.next());
  EXPECT_LE(*keeper.next() - now, Millis(1'000)) << "it looks often enough to tell";
  live(Millis(4'000));
  EXPECT_EQ(keeper.state().cause, EndCause::kWallTime);
  how_it_ended();
}

TEST_F(TimeKeeperTest, AsksBeforeItKills) {
  plan_.launcher.wall_time = Millis(1);
  plan_.launcher.limit_grace = Millis(3'600'000);
  TimeKeeper keeper(timed());
  keeper.start_thread();
  keeper.note_started(clock_.mono());
  EXPECT_EQ(how_it_ended(), SIGTERM);
}

TEST_F(TimeKeeperTest, EndsARunWhoseReaderIsGoneAtOnce) {
  plan_.launcher.cancel_grace = Millis(3'600'000);
  os::Pipe events = os::make_pipe().value();
  Timed timed = this->timed();
  timed.reader = events.write.get();
  TimeKeeper keeper(timed);
  keeper.start_thread();
  keeper.note_started(clock_.mono());
  events.read.reset();
  EXPECT_EQ(how_it_ended(), SIGKILL);
  EXPECT_EQ(keeper.state().cause, EndCause::kCanceled);
}

TEST_F(TimeKeeperTest, TheFirstCauseStays) {
  plan_.launcher.limit_grace = Millis(3'600'000);
  TimeKeeper keeper(timed());
  keeper.note_started(clock_.mono());
  keeper.end(EndCause::kWallTime, clock_.mono());
  keeper.end(EndCause::kDisk, clock_.mono());
  EXPECT_EQ(keeper.state().cause, EndCause::kWallTime);
  EXPECT_FALSE(keeper.note_started(clock_.mono())) << "it is to end already";
  how_it_ended();
}

}  // namespace
}  // namespace paddock::sandbox
