// Ends of a run: whatever it left running ends with it.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "common/os/file.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;

class Lifetime : public SandboxTest {
 protected:
  // A name that only this test's processes have in their environment.
  std::string marker() const { return "PADDOCK_MARKER=" + folder(); }
  contracts::LaunchRequest marked(std::vector<std::string> command) const {
    contracts::LaunchRequest out = request(std::move(command));
    out.env["PADDOCK_MARKER"] = folder();
    return out;
  }
  // Kills the launcher. Its cgroup is swept by the next launch.
  void expect_nothing_left_without(const Launched& launched) {
    kill(launched.pid(), SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(launched.pid(), &status, 0), launched.pid());
    EXPECT_TRUE(gone_with_marker(marker()));
    // What has no environment any more may still need a processor to die, and is in its cgroup.
    constexpr int kMostLaunches = 100;
    for (int i = 0; i == 0 || (i < kMostLaunches && !cgroups_of(launched.pid()).empty()); ++i)
      run(std::vector<std::string>{"true"});
    EXPECT_TRUE(cgroups_of(launched.pid()).empty());
  }
};
INSTANTIATE_TEST_SUITE_P(, Lifetime, testing::Values(As::kRoot, As::kUser), name_of);

// proves: WSM-19
TEST_P(Lifetime, EndsWithItsCommandAlthoughDaemonsHoldThePipes) {
  const Finished done = run(marked(probe("survivors")));
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk);
  EXPECT_TRUE(gone_with_marker(marker()));
}

// proves: WSM-16, VLT-44
TEST_P(Lifetime, EndsAtItsWallTimeHoweverItResists) {
  contracts::LaunchRequest launch = marked(probe("survivors", {"stay"}));
  launch.policy.limits.wall_time = wire::Duration{Millis(1000)};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kTimeout);
  EXPECT_EQ(done.result->rc, 124);
  EXPECT_TRUE(gone_with_marker(marker()));
}

// proves: WSM-17, WSM-18
TEST_P(Lifetime, EndsWhenCanceled) {
  const Finished done = cancel_at(marked(probe("survivors", {"stay"})), "CONTAINED");
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->rc, 143);
  EXPECT_EQ(done.result->error_class, "CANCELLED");
  EXPECT_TRUE(gone_with_marker(marker()));
}

TEST_P(Lifetime, EndsWhenItStoppedItself) {
  contracts::LaunchRequest launch = marked({"sh", "-c", "kill -STOP $$"});
  launch.policy.limits.wall_time = wire::Duration{Millis(1000)};
  EXPECT_EQ(run(launch).result.value().status, SandboxStatus::kTimeout);
  EXPECT_TRUE(gone_with_marker(marker()));
}

TEST_P(Lifetime, EndsWithALauncherThatWasKilled) {
  Launched launched = start(marked(probe("survivors", {"stay"})));
  ASSERT_TRUE(launched.wait_for_output("CONTAINED"));
  const auto inner = launched.sandbox_pid();
  ASSERT_TRUE(inner);
  expect_nothing_left_without(launched);
}

// Whether everything of that launcher's run stands still now, by the file of the hierarchy that
// can.
bool stands_still(const std::vector<std::string>& cgroups) {
  for (const std::string& folder : cgroups) {
    for (const char* file : {"/freezer.state", "/cgroup.events"}) {
      const auto state = os::read_file(folder + file, 4096);
      if (state.ok() && (*state == "FROZEN\n" || state->find("frozen 1") != std::string::npos))
        return true;
    }
  }
  return false;
}

// What stands still while it is measured takes no signal with cgroup v1.
TEST_P(Lifetime, EndsWithALauncherThatWasKilledWhileItMeasured) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's runs cannot be made to stand still";
  contracts::LaunchRequest launch = marked({"sh", "-c", R"(
i=0; while [ $i -lt 3000 ]; do : > file-$i; i=$((i + 1)); done
head -c 25000000 /dev/zero > large
echo READY
while :; do : > /tmp/x; done
)"});
  launch.policy.limits.fs_bytes = wire::Quantity{int64_t{48} << 20};
  launch.policy.limits.file_count.reset();
  Launched launched = start(launch);
  ASSERT_TRUE(launched.wait_for_output("READY"));
  const std::vector<std::string> cgroups = cgroups_of(launched.pid());
  bool still = false;
  for (int i = 0; i < 20'000 && !still; ++i) {
    still = stands_still(cgroups);
    if (!still) poll(nullptr, 0, 1);
  }
  expect_nothing_left_without(launched);
  if (!still) GTEST_SKIP() << "it never stood still while it was looked at";
}

// proves: VLT-47, VLT-48, VLT-43
TEST_P(Lifetime, TellsHowTheCommandItselfEnded) {
  const auto result = [&](const char* script) {
    return run(std::vector<std::string>{"sh", "-c", script}).result.value();
  };
  EXPECT_EQ(result("exit 0").status, SandboxStatus::kOk);
  EXPECT_EQ(result("exit 7").rc, 7);
  EXPECT_EQ(result("kill -TERM $$").status, SandboxStatus::kKilledTerm);
  EXPECT_EQ(result("kill -KILL $$").status, SandboxStatus::kKilledKill);
  EXPECT_EQ(result("kill -SEGV $$").rc, 139);
}

TEST_P(Lifetime, SaysThatACommandIsMissingOrNoProgram) {
  const Finished missing = run(std::vector<std::string>{"no-such-command"});
  EXPECT_EQ(missing.result.value().rc, 127);
  EXPECT_THAT(missing.result.value().reason, HasSubstr("command not found: no-such-command"));
  EXPECT_FALSE(missing.started);
  EXPECT_EQ(run(std::vector<std::string>{"/etc/passwd"}).result.value().rc, 126);
}

// proves: VLT-50
TEST_P(Lifetime, NeverStartsWhatItCannotSetUp) {
  contracts::LaunchRequest launch = request({"touch", "/workspace/ran"});
  launch.workdir = "/nowhere";
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kInternalError);
  EXPECT_EQ(done.result->rc, 1);
  EXPECT_THAT(done.result->reason, HasSubstr("workdir"));
  EXPECT_FALSE(os::exists(workspace() + "/ran"));
  for (const auto& [name, enforcement] : done.result->enforced)
    EXPECT_FALSE(enforcement.applied) << name;
}

// proves: VLT-80
TEST_P(Lifetime, HasTwoRunsAtOnceThatSeeNothingOfEachOther) {
  Launched one = start(marked(probe("survivors", {"stay"})));
  ASSERT_TRUE(one.wait_for_output("CONTAINED"));
  expect_contained("proc_files");
  const Finished other =
      run(std::vector<std::string>{"sh", "-c", "kill -KILL -1; ls /proc | grep -c '^[0-9]'"});
  ASSERT_TRUE(other.result);
  kill(one.pid(), SIGTERM);
  EXPECT_EQ(one.wait().result.value().status, SandboxStatus::kCanceled);
}

}  // namespace
}  // namespace paddock::adversarial
