// How a command in a run ends: by itself, with its time or its caller, and with its run.
#include <signal.h>

#include "tests/adversarial/exec_fixture.h"
#include "tests/adversarial/sleepers.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;

TEST_P(Exec, WorksWhileTheRunsCommandStandsStill) {
  Launched run = start(open_run("echo READY; kill -STOP $$; echo AWAKE"));
  ASSERT_TRUE(run.wait_for_output("READY"));
  EXPECT_EQ(shell("echo here").out, "here\n");
  kill(run.pid(), SIGTERM);
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kCanceled);
}

TEST_P(Exec, LeavesNothingBehind) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed done = shell(
      ": > /tmp/begun; for i in 1 2 3; do "
      "setsid sh -c 'sleep 4711 & echo >> /tmp/begun; sleep 4711' & done; "
      "while [ \"$(wc -l < /tmp/begun)\" != 3 ]; do sleep 0.02; done; echo begun");
  EXPECT_EQ(done.out, "begun\n");
  EXPECT_EQ(done.result.status, SandboxStatus::kOk);
  EXPECT_TRUE(no_sleep_is_left("4711"));
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
}

TEST_P(Exec, EndsWithTheRunWhichDoesNotWaitForIt) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  auto command = begin({"sh", "-c", "trap '' TERM; setsid sleep 4712 & echo up; sleep 4712"});
  ASSERT_TRUE(command.ok());
  Executed done;
  ASSERT_TRUE(follow(*command, done, "up"));
  allow();
  const Finished ended = run.wait();
  EXPECT_EQ(ended.result->status, SandboxStatus::kOk);
  EXPECT_LT(ended.result->duration_ms, kAmple.count() / 2);
  ASSERT_TRUE(follow(*command, done));
  EXPECT_EQ(done.result.status, SandboxStatus::kCanceled);
  EXPECT_EQ(done.result.code, "RUN_ENDED");
  EXPECT_TRUE(no_sleep_is_left("4712"));
}

// In the run's grace too.
TEST_P(Exec, EndsWithACanceledRun) {
  auto launch = open_run("trap 'exit 3' TERM; echo READY; while :; do sleep 0.02; done");
  launch.cancel_grace_ms = kAmple.count();
  Launched run = start(launch);
  ASSERT_TRUE(run.wait_for_output("READY"));
  auto command = begin({"sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"});
  ASSERT_TRUE(command.ok());
  Executed done;
  ASSERT_TRUE(follow(*command, done, "up"));
  kill(run.pid(), SIGTERM);
  const Finished ended = run.wait();
  EXPECT_EQ(ended.result->status, SandboxStatus::kCanceled);
  EXPECT_LT(ended.result->duration_ms, kAmple.count() / 2);
  ASSERT_TRUE(follow(*command, done));
  EXPECT_EQ(done.result.code, "RUN_ENDED");
}

TEST_P(Exec, EndsWithItsTimeOrItsCaller) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed late = shell("echo some; sleep 4713", Millis(300));
  EXPECT_EQ(late.result.status, SandboxStatus::kTimeout);
  EXPECT_EQ(late.result.rc, 124);
  // Its grace is two seconds, for which a busy machine may give it no processor.
  constexpr int kMostTries = 10;
  Executed done;
  for (int i = 0; i < kMostTries && done.out.find("saved") == std::string::npos; ++i) {
    auto command = begin({"sh", "-c",
                          "trap 'echo saved; exit 4' TERM; echo up; while :; do sleep "
                          "0.02; done"});
    ASSERT_TRUE(command.ok());
    done = {};
    ASSERT_TRUE(follow(*command, done, "up"));
    command->kill();  // which must not end the run
    ASSERT_TRUE(follow(*command, done));
    EXPECT_EQ(done.result.status, SandboxStatus::kCanceled);
  }
  EXPECT_THAT(done.out, HasSubstr("saved"));
  {
    auto unread = begin({"sh", "-c", "sleep 4713"});
    ASSERT_TRUE(unread.ok());
  }
  EXPECT_TRUE(no_sleep_is_left("4713"));
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
}

// Init stands still, as the disk watch lets it, and hears of the command when that is given up.
TEST_P(Exec, DoesNotBeginOnceItIsGivenUp) {
  Launched run = start(patient());
  ASSERT_TRUE(run.wait_for_output("READY"));
  const auto init = run.sandbox_pid();
  ASSERT_TRUE(init);
  ASSERT_EQ(kill(static_cast<pid_t>(*init), SIGSTOP), 0);
  auto command = begin({"touch", "begun"});
  ASSERT_TRUE(command.ok());
  command->end();
  Executed done;
  ASSERT_TRUE(follow(*command, done));
  EXPECT_EQ(done.result.status, SandboxStatus::kCanceled) << done.result.reason;
  ASSERT_EQ(kill(static_cast<pid_t>(*init), SIGCONT), 0);
  EXPECT_EQ(shell("echo here").out, "here\n");
  allow();
  EXPECT_EQ(run.wait().result->status, SandboxStatus::kOk);
  EXPECT_FALSE(os::exists(workspace() + "/begun"));
}

// The two are domains of their own to Landlock, and a keeper is in neither.
TEST_P(Exec, AndTheRunCannotEndEachOther) {
  if (kernel_version() < std::pair(6, 12)) GTEST_SKIP() << "Landlock scopes no signals here";
  const std::string kill_all =
      "for p in /proc/[0-9]*; do n=${p#/proc/}; [ $n -ne $$ ] && kill -9 $n; done 2>/dev/null";
  Launched run =
      start(open_run("echo READY; while [ ! -e go ]; do " + kill_all + "; done; echo DONE"));
  ASSERT_TRUE(run.wait_for_output("READY"));
  const Executed done = shell(kill_all + "; sleep 0.5; echo survived");
  EXPECT_EQ(done.out, "survived\n");
  EXPECT_EQ(done.result.status, SandboxStatus::kOk) << done.result.reason;
  allow();
  const Finished ended = run.wait();
  EXPECT_EQ(ended.result->status, SandboxStatus::kOk);
  EXPECT_EQ(ended.out, "READY\nDONE\n");
}

}  // namespace
}  // namespace paddock::adversarial
