// Hosts that do not let the agent use cgroup v2: each limit is enforced by other means or refused,
// and the result names what stands in the way.
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "tests/vm/guest.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;
using wire::Quantity;

class WithoutCgroupV2 : public GuestTest {
 protected:
  void TearDown() override {
    agent_.reset();
    GuestTest::TearDown();
  }
  const AgentCgroup& make_agent(const std::string& controllers, bool delegated = true) {
    agent_.emplace(controllers);
    if (delegated && !as_root()) agent_->delegate_to_user();
    EXPECT_TRUE(agent_->enter());
    return *agent_;
  }
  std::map<std::string, contracts::Enforcement> enforced() {
    const Finished done = run(std::vector<std::string>{"true"});
    EXPECT_TRUE(done.result);
    if (!done.result) return {};
    EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
    EXPECT_EQ(done.result->enforced.at("memory").mechanism, "RLIMIT_DATA");
    EXPECT_TRUE(done.result->enforced.at("memory").applied);
    EXPECT_TRUE(done.result->enforced.at("pids").applied);
    return done.result->enforced;
  }
  // And what is said to hold instead does.
  void expect_hogs_to_be_held() {
    contracts::LaunchRequest hog = request(probe("consume", {"memory"}));
    hog.policy.limits.memory = Quantity{128 * kMiB};
    EXPECT_EQ(run(hog).out, "REFUSED\n");
    contracts::LaunchRequest storm = request(probe("fork_storm"));
    storm.policy.limits.pids = 16;
    storm.policy.limits.wall_time = wire::Duration{Millis(2000)};
    const Finished done = run(storm);
    EXPECT_THAT(done.out, HasSubstr("ALIVE 16\n"));
    EXPECT_EQ(done.result.value().status, SandboxStatus::kTimeout) << done.result->reason;
  }

 private:
  std::optional<AgentCgroup> agent_;
};
INSTANTIATE_TEST_SUITE_P(, WithoutCgroupV2, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(WithoutCgroupV2, SaysThatNoneIsMounted) {
  ASSERT_EQ(umount2(kCgroups.c_str(), MNT_DETACH), 0);
  const auto found = enforced();
  expect_hogs_to_be_held();
  ASSERT_EQ(mount("cgroup2", kCgroups.c_str(), "cgroup2", 0, nullptr), 0);
  EXPECT_THAT(found.at("memory").details, HasSubstr("no cgroup file system is mounted"));
  EXPECT_EQ(found.at("pids").mechanism, "RLIMIT_NPROC");
  EXPECT_EQ(found.at("cpuTime").mechanism, "RLIMIT_CPU");
}

TEST_P(WithoutCgroupV2, SaysThatItIsReadOnly) {
  make_agent("+memory +pids");
  const auto remount = [](unsigned long flags) {
    return mount(nullptr, kCgroups.c_str(), nullptr, MS_REMOUNT | MS_BIND | flags, nullptr);
  };
  ASSERT_EQ(remount(MS_RDONLY), 0);
  const auto found = enforced();
  ASSERT_EQ(remount(0), 0);
  EXPECT_THAT(found.at("memory").details, HasSubstr("read-only"));
  EXPECT_EQ(found.at("pids").mechanism, "RLIMIT_NPROC");
}

TEST_P(WithoutCgroupV2, SaysThatItIsNotDelegated) {
  if (as_root()) GTEST_SKIP() << "root may use any";
  make_agent("+memory +pids", false);
  EXPECT_THAT(enforced().at("memory").details, HasSubstr("not delegated"));
}

// Only the folder was given away, not the right to start processes below it.
TEST_P(WithoutCgroupV2, SaysThatItIsHalfDelegated) {
  if (as_root()) GTEST_SKIP() << "root may use any";
  const AgentCgroup& agent = make_agent("+memory +pids", false);
  ASSERT_EQ(chown(agent.folder().c_str(), kOrdinaryUser, kOrdinaryUser), 0);
  EXPECT_THAT(enforced().at("memory").details, HasSubstr("not delegated"));
}

TEST_P(WithoutCgroupV2, SaysThatProcessesAreInTheWay) {
  const AgentCgroup& agent = make_agent("+memory +pids");
  const pid_t other = fork();
  if (other == 0) {
    for (;;) pause();
  }
  ASSERT_TRUE(write_to(agent.folder() + "/cgroup.procs", cat(other)));
  const auto found = enforced();
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  EXPECT_THAT(found.at("memory").details,
              HasSubstr("memory: the cgroup above the agent's holds processes"));
}

TEST_P(WithoutCgroupV2, SaysThatAControllerIsMissingAndUsesTheOther) {
  make_agent("+pids");
  const auto found = enforced();
  EXPECT_THAT(found.at("memory").details, HasSubstr("memory: the controller is not handed down"));
  EXPECT_EQ(found.at("pids").mechanism, "cgroup v2 pids, RLIMIT_NPROC");
  EXPECT_EQ(found.at("cpuTime").mechanism, "RLIMIT_CPU, cgroup v2 accounting");
}

TEST_P(WithoutCgroupV2, SaysThatProcessorsAreShared) {
  make_agent("+memory +pids");
  contracts::LaunchRequest launch = request({"true"});
  launch.cpus = 1;
  const Finished done = run(launch);
  EXPECT_EQ(done.result.value().status, SandboxStatus::kOk) << done.result->reason;
  EXPECT_EQ(done.result->enforced.at("memory").mechanism, "cgroup v2 memory");
  EXPECT_EQ(done.result->enforced.at("cpus").level, contracts::EnforcementLevel::kNone);
  EXPECT_THAT(done.result->enforced.at("cpus").details,
              HasSubstr("cpu: the controller is not handed down"));
}

// The root cgroup is the one that may have processes and children.
TEST_P(WithoutCgroupV2, IsNotWhatRootHasInTheRootCgroup) {
  const Finished done = run(std::vector<std::string>{"true"});
  EXPECT_EQ(done.result.value().enforced.at("memory").mechanism,
            as_root() ? "cgroup v2 memory" : "RLIMIT_DATA");
}

}  // namespace
}  // namespace paddock::adversarial
