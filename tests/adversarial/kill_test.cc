// The end that a run does not choose: asked first, then killed, all of it.
#include <signal.h>

#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;

constexpr int64_t kNever = 86'400'000;  // a grace that no test outlives
constexpr int64_t kLong = 60'000;  // no loaded machine is that slow; nothing waits for all of it

class Kill : public SandboxTest {
 protected:
  contracts::LaunchRequest marked(std::vector<std::string> command) const {
    contracts::LaunchRequest out = request(std::move(command));
    out.env["PADDOCK_MARKER"] = folder();
    return out;
  }
  bool all_gone() const { return gone_with_marker("PADDOCK_MARKER=" + folder()); }
  static int count(const std::string& text, const std::string& what) {
    int found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++found;
    return found;
  }
};
INSTANTIATE_TEST_SUITE_P(, Kill, testing::Values(As::kRoot, As::kUser), name_of);

// proves: WSM-17, WSM-18
TEST_P(Kill, LetsEveryProcessCleanUpAfterACancel) {
  contracts::LaunchRequest launch = marked(probe("polite"));
  launch.cancel_grace_ms = kAmple.count();
  const Finished done = cancel_at(launch, "READY\nREADY\nREADY\n");
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->rc, 143);
  EXPECT_EQ(count(done.out, "CHILD CLEANED\n"), 2) << done.out;
  EXPECT_THAT(done.out, HasSubstr("\nCLEANED\n"));
  EXPECT_TRUE(all_gone());
}

// proves: WSM-16, VLT-82
TEST_P(Kill, LetsEveryProcessCleanUpWhenItsTimeIsUp) {
  contracts::LaunchRequest launch = marked(probe("polite"));
  launch.limit_grace_ms = kLong;
  const Finished done = run_out_of_time(
      launch, Millis(1500), [](const std::string& out) { return count(out, "READY\n") == 3; });
  ASSERT_TRUE(done.result);
  EXPECT_EQ(count(done.out, "CHILD CLEANED\n"), 2) << done.out;
  EXPECT_THAT(done.out, HasSubstr("\nCLEANED\n"));
  EXPECT_TRUE(all_gone());
}

TEST_P(Kill, KillsWhatGoesOnAfterItsGrace) {
  contracts::LaunchRequest launch = marked(probe("polite", {"and stay"}));
  launch.cancel_grace_ms = 100;
  cancel_at(launch, "READY\nREADY\nREADY\n");
  EXPECT_TRUE(all_gone());
}

TEST_P(Kill, KillsAtOnceInTheMiddleOfAGrace) {
  contracts::LaunchRequest launch = marked(probe("polite", {"and stay"}));
  launch.cancel_grace_ms = kNever;
  Launched launched = start(launch);
  ASSERT_TRUE(launched.wait_for_output("READY\nREADY\nREADY\n"));
  kill(launched.pid(), SIGTERM);
  ASSERT_TRUE(launched.wait_for_output("\nCLEANED\n"));
  kill(launched.pid(), SIGTERM);  // asked again, it does not begin again
  kill(launched.pid(), SIGQUIT);
  const Finished done = launched.wait();
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kCanceled);
  EXPECT_TRUE(all_gone());
}

// A shell ends at once; what it started has the grace all the same.
TEST_P(Kill, LetsWhatAShellStartedSaveItsWork) {
  contracts::LaunchRequest launch = marked(probe("in_grace", {"save", "behind a parent"}));
  launch.cancel_grace_ms = kNever;
  const Finished done = cancel_at(launch, "READY\n");
  EXPECT_THAT(done.out, HasSubstr("SAVED\n"));
  EXPECT_TRUE(all_gone());
}

// A day of grace helps nobody who goes over a limit in it.
TEST_P(Kill, HoldsToItsLimitsInAGrace) {
  const Finished harmless = run(std::vector<std::string>{"true"});
  if (harmless.result.value().enforced.at("cpuTime").mechanism.find("cgroup") == std::string::npos)
    GTEST_SKIP() << "without a cgroup the memory of one process is refused, and nothing is killed";
  for (const char* greed : {"memory", "cpu"}) {
    contracts::LaunchRequest launch = marked(probe("in_grace", {greed}));
    launch.policy.limits.memory = wire::Quantity{64 * kMiB};
    launch.policy.limits.cpu_time = wire::Duration{Millis(1'000)};
    launch.cancel_grace_ms = launch.limit_grace_ms = kNever;
    SCOPED_TRACE(greed);
    cancel_at(launch, "READY\n");  // the first cause stays
    EXPECT_TRUE(all_gone());
  }
}

TEST_P(Kill, EndsAForkBombThatBeginsInItsGrace) {
  contracts::LaunchRequest launch = marked(probe("in_grace", {"fork"}));
  launch.policy.limits.pids = 64;
  launch.cancel_grace_ms = 500;
  const Finished done = cancel_at(launch, "READY\n");
  ASSERT_TRUE(done.result);
  EXPECT_LE(done.result->usage.peak_pids.value_or(0), 65);
  EXPECT_TRUE(all_gone());
}

TEST_P(Kill, KillsAtOnceWithoutAGrace) {
  contracts::LaunchRequest launch = marked(probe("survivors", {"stay"}));
  launch.cancel_grace_ms = 0;
  cancel_at(launch, "CONTAINED");
  EXPECT_TRUE(all_gone());
}

// proves: WSM-19, ORB-119
TEST_P(Kill, EndsAForkBombThatIsAlive) {
  contracts::LaunchRequest launch = marked(probe("fork_storm"));
  launch.policy.limits.pids = 256;
  launch.cancel_grace_ms = 0;
  cancel_at(launch, "ALIVE 256\n");
  EXPECT_TRUE(all_gone());
}

// proves: VLT-45
TEST_P(Kill, CountsTheCpuTimeOfAllProcessesTogether) {
  const Finished harmless = run(std::vector<std::string>{"true"});
  if (harmless.result.value().enforced.at("cpuTime").mechanism.find("cgroup") ==
      std::string::npos) {
    GTEST_SKIP() << "without a cgroup each process is counted alone";
  }
  contracts::LaunchRequest launch = marked(probe("consume", {"family"}));
  launch.policy.limits.cpu_time = wire::Duration{Millis(1000)};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kCpuLimit) << done.result->reason;
  EXPECT_EQ(done.result->rc, 152);
  EXPECT_GE(done.result->usage.cpu_ms, 900);
  EXPECT_TRUE(all_gone());
}

}  // namespace
}  // namespace paddock::adversarial
