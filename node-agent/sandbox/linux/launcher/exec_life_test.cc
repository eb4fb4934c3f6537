#include "node-agent/sandbox/linux/launcher/exec_life.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using Step = ExecLife::Step;

constexpr MonoTime kBegin{1'000'000};
constexpr Millis kStill{3'600'000};

class ExecLifeTest : public testing::Test {
 protected:
  // As whoever keeps its time does: until something is to be done, or the time has passed.
  Step live(Millis time) {
    for (Millis lived{0}; lived < time;) {
      const Millis step = std::min(std::max(life_.next(), Millis(1)), time - lived);
      lived += step;
      if (const Step next = after(step); next != Step::kNone) return next;
    }
    return Step::kNone;
  }
  Step after(Millis pause) {
    pass(pause);
    return life_.look();
  }
  void pass(Millis pause) {
    now_ = now_ + pause;
    life_.set_now(now_);
  }

  MonoTime now_ = kBegin;
  ExecLife life_{{Millis(10'000), Millis(2'000), Millis(200)}, kBegin};
};

TEST_F(ExecLifeTest, IsToldToEndAtItsLimitAndKilledAfterItsGrace) {
  life_.note_started();
  EXPECT_EQ(live(Millis(9'999)), Step::kNone);
  EXPECT_EQ(after(Millis(1)), Step::kTerminate);
  EXPECT_EQ(life_.state().cause, EndCause::kWallTime);
  EXPECT_EQ(live(Millis(199)), Step::kNone);
  EXPECT_EQ(after(Millis(1)), Step::kKill);
}

TEST_F(ExecLifeTest, CountsNoTimeInWhichNobodyLooked) {
  life_.note_started();
  EXPECT_EQ(live(Millis(5'000)), Step::kNone);
  EXPECT_EQ(after(kStill), Step::kNone) << "two seconds of it count";
  EXPECT_EQ(live(Millis(2'900)), Step::kNone);
  EXPECT_EQ(live(Millis(200)), Step::kTerminate);
}

// It may have begun, or died, as soon as everybody goes on.
TEST_F(ExecLifeTest, IsNotGivenUpForWhatStoodStill) {
  EXPECT_EQ(after(kStill), Step::kNone);
  life_.note_started();
  life_.note_ended(0, Millis(5));
  EXPECT_EQ(after(kStill), Step::kNone);
  EXPECT_FALSE(life_.state().over);
  life_.note_gone();
  EXPECT_TRUE(life_.state().over);
  EXPECT_FALSE(life_.state().stood_still);
}

TEST_F(ExecLifeTest, HearsOfAnEndBeforeItsTimeIsLookedAt) {
  life_.note_started();
  EXPECT_EQ(live(Millis(9'000)), Step::kNone);
  pass(Millis(1'500));
  life_.note_ended(0, Millis(5));
  EXPECT_EQ(life_.look(), Step::kNone);
  EXPECT_EQ(life_.state().cause, EndCause::kNone);
}

// The next command would find no room for its processes.
TEST_F(ExecLifeTest, IsOverOnceItsDeadAreReaped) {
  life_.note_started();
  EXPECT_EQ(life_.cancel(), Step::kKill);
  life_.note_all_killed();
  EXPECT_EQ(life_.state().ended, now_);
  EXPECT_EQ(live(Millis(4'000)), Step::kNone);
  EXPECT_FALSE(life_.state().over);
  life_.note_gone();
  EXPECT_EQ(life_.state().over, now_);
  EXPECT_EQ(life_.state().ended, kBegin);
}

TEST_F(ExecLifeTest, IsNotWaitedForWithoutEnd) {
  life_.note_started();
  EXPECT_EQ(life_.cancel(), Step::kKill);
  EXPECT_EQ(live(Millis(5'000)), Step::kNone);
  EXPECT_TRUE(life_.state().over);
}

// A cancel in the middle of a pause: the time to die begins now, and not when it was looked last.
TEST_F(ExecLifeTest, HasItsTimeToDieFromTheCancelOn) {
  life_.note_started();
  EXPECT_EQ(live(Millis(4'000)), Step::kNone);
  pass(Millis(900));
  EXPECT_EQ(life_.cancel(), Step::kKill);
  EXPECT_EQ(live(Millis(4'999)), Step::kNone);
  EXPECT_FALSE(life_.state().over);
}

TEST_F(ExecLifeTest, IsKilledOnce) {
  life_.note_started();
  EXPECT_EQ(life_.note_client_gone(), Step::kTerminate);
  EXPECT_EQ(life_.note_run_over(), Step::kKill);
  EXPECT_EQ(life_.cancel(), Step::kNone);
  EXPECT_EQ(live(Millis(4'000)), Step::kNone);
  EXPECT_EQ(life_.state().cause, EndCause::kCanceled);
  EXPECT_TRUE(life_.state().cut_short);
}

TEST_F(ExecLifeTest, ThatNeverBeginsStoodStill) {
  EXPECT_EQ(live(Millis(29'999)), Step::kNone);
  EXPECT_EQ(after(Millis(1)), Step::kKill);
  EXPECT_TRUE(life_.state().stood_still);
  EXPECT_EQ(live(Millis(5'000)), Step::kNone);
  EXPECT_TRUE(life_.state().over);
}

}  // namespace
}  // namespace paddock::sandbox
