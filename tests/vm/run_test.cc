// Runs on cgroup v2, by root and by an ordinary user with a delegated cgroup.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <optional>

#include "common/os/file.h"
#include "tests/vm/guest.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;
using testing::Not;
using wire::Quantity;

const std::string kTrace = "/sys/kernel/tracing";

class RunOnCgroupV2 : public GuestTest {
 protected:
  void SetUp() override {
    GuestTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    agent_.emplace("+memory +pids");
    if (!as_root()) agent_->delegate_to_user();
    ASSERT_TRUE(agent_->enter());
    before_ = all_cgroups();
  }
  void TearDown() override {
    if (agent_) {
      EXPECT_EQ(all_cgroups(), before_) << "a cgroup was left behind";
    }
    agent_.reset();
    GuestTest::TearDown();
  }

  const std::string& parent() const { return agent_->folder(); }
  // The folder of the one run that there is.
  std::string folder_of_run() const {
    for (const std::string& folder : all_cgroups()) {
      if (folder.starts_with(parent() + "/paddock-")) return folder;
    }
    return {};
  }
  Finished run_with_memory(std::vector<std::string> command, int64_t bytes) {
    contracts::LaunchRequest launch = request(std::move(command));
    launch.policy.limits.memory = Quantity{bytes};
    return run(launch);
  }

 private:
  std::optional<AgentCgroup> agent_;
  std::vector<std::string> before_;
};
INSTANTIATE_TEST_SUITE_P(, RunOnCgroupV2, testing::Values(As::kRoot, As::kUser), name_of);

// proves: VLT-53
TEST_P(RunOnCgroupV2, SaysThatItIsWhatHolds) {
  const Finished done = run(std::vector<std::string>{"true"});
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
  const auto mechanism = [&](const char* name) {
    const auto& enforced = done.result->enforced.at(name);
    EXPECT_TRUE(enforced.applied) << name;
    EXPECT_EQ(enforced.level, contracts::EnforcementLevel::kKernel) << name;
    return enforced.mechanism;
  };
  EXPECT_EQ(mechanism("memory"), "cgroup v2 memory");
  EXPECT_EQ(mechanism("pids"), "cgroup v2 pids, RLIMIT_NPROC");
  EXPECT_EQ(mechanism("cpuTime"), "RLIMIT_CPU, cgroup v2 accounting");
  EXPECT_GT(done.result->usage.peak_memory_bytes.value_or(0), 0);
}

// Nobody is ever moved into a run's cgroup: its first process is born there.
// proves: VLT-84
TEST_P(RunOnCgroupV2, HoldsTheRunFromItsFirstInstruction) {
  ASSERT_TRUE(write_to(kTrace + "/events/cgroup/enable", "1"));
  contracts::LaunchRequest launch = request(probe("survivors", {"stay"}));
  launch.policy.limits.memory = Quantity{64 * kMiB};
  launch.policy.limits.pids = 40;
  Launched launched = start(launch);
  ASSERT_TRUE(launched.wait_for_output("CONTAINED"));
  const std::string folder = folder_of_run();
  ASSERT_FALSE(folder.empty());
  EXPECT_EQ(read_all_of(folder + "/memory.max"), cat(64 * kMiB, "\n"));
  EXPECT_EQ(read_all_of(folder + "/memory.swap.max"), "0\n");
  EXPECT_EQ(read_all_of(folder + "/memory.oom.group"), "1\n");
  EXPECT_EQ(read_all_of(folder + "/pids.max"), "41\n");  // and the init process
  const auto inside = launched.sandbox_pid();
  ASSERT_TRUE(inside);
  EXPECT_EQ(read_all_of(cat("/proc/", *inside, "/cgroup")),
            cat("0::", folder.substr(kCgroups.size()), "\n"));
  // Init, the command, its twelve daemons and who of them was not waited for yet.
  EXPECT_GE(std::stoi(read_all_of(folder + "/pids.current")), 14);
  kill(launched.pid(), SIGTERM);
  EXPECT_EQ(launched.wait().result.value().status, SandboxStatus::kCanceled);
  ASSERT_TRUE(write_to(kTrace + "/events/cgroup/enable", "0"));
  const std::string trace = read_all_of(kTrace + "/trace");
  ASSERT_TRUE(truncate((kTrace + "/trace").c_str(), 0) == 0);
  EXPECT_THAT(trace, HasSubstr("cgroup_mkdir"));
  EXPECT_THAT(trace, HasSubstr("cgroup_rmdir"));
  EXPECT_THAT(trace, Not(HasSubstr("cgroup_attach_task")));
}

// proves: VLT-46, VLT-43
TEST_P(RunOnCgroupV2, TellsItsMemoryLimitFromAnyOtherKill) {
  const Finished hog = run_with_memory(probe("consume", {"memory"}), 64 * kMiB);
  ASSERT_TRUE(hog.result);
  EXPECT_EQ(hog.result->status, SandboxStatus::kMemLimit) << hog.result->reason;
  EXPECT_EQ(hog.result->rc, 137);
  EXPECT_EQ(hog.result->code, "E_LIMIT_MEMORY");
  EXPECT_EQ(hog.result->usage.peak_memory_bytes, 64 * kMiB);

  const Finished itself = run_with_memory({"sh", "-c", "kill -KILL $$"}, 64 * kMiB);
  EXPECT_EQ(itself.result.value().status, SandboxStatus::kKilledKill);

  Launched launched = start(request(probe("survivors", {"stay"})));
  ASSERT_TRUE(launched.wait_for_output("CONTAINED"));
  kill(static_cast<pid_t>(launched.sandbox_pid().value()), SIGKILL);
  EXPECT_EQ(launched.wait().result.value().status, SandboxStatus::kKilledKill);
}

// The test is below that limit too: the kernel must not take it for the one to kill.
TEST_P(RunOnCgroupV2, IsNotBlamedForALimitFurtherUp) {
  constexpr const char* kOwnScore = "/proc/self/oom_score_adj";
  ASSERT_TRUE(write_to(kOwnScore, "-1000"));
  in_launcher_ = [] {
    const int file = open(kOwnScore, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "0", 1) != 1) _exit(1);
    close(file);
  };
  ASSERT_TRUE(write_to(parent() + "/memory.max", cat(48 * kMiB)));
  const Finished done = run_with_memory(probe("consume", {"memory"}), 512 * kMiB);
  ASSERT_TRUE(write_to(kOwnScore, "0"));
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kKilledKill) << done.result->reason;
  EXPECT_THAT(read_all_of(parent() + "/memory.events"), Not(HasSubstr("oom_kill 0\n")));
}

TEST_P(RunOnCgroupV2, LeavesNothingBehindInManyRuns) {
  constexpr int kRuns = 50;
  const std::string before = read_all_of(kCgroups + "/cgroup.stat");
  for (int i = 0; i < kRuns; ++i) {
    const Finished done = run(i % 5 == 0 ? probe("survivors") : std::vector<std::string>{"true"});
    ASSERT_EQ(done.result.value().status, SandboxStatus::kOk) << i << done.result->reason;
    ASSERT_EQ(folder_of_run(), "") << i;
  }
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(first_line(read_all_of(kCgroups + "/cgroup.stat")), first_line(before));
}

// proves: VLT-50
TEST_P(RunOnCgroupV2, DoesNotStartWhenItsFolderCannotBeMade) {
  ASSERT_TRUE(write_to(parent() + "/cgroup.max.descendants", "1"));  // the agent's own
  const Finished done = run(std::vector<std::string>{"touch", "/workspace/ran"});
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kInternalError);
  EXPECT_THAT(done.result->reason, HasSubstr("making the cgroup"));
  EXPECT_FALSE(done.started);
  EXPECT_FALSE(os::exists(workspace() + "/ran"));
}

}  // namespace
}  // namespace paddock::adversarial
