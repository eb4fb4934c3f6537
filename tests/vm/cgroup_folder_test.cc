// A run's cgroup by itself, without the pid namespace that would also end what is inside.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "common/os/file.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "tests/vm/guest.h"

namespace paddock::sandbox {
namespace {

using adversarial::AgentCgroup;
using adversarial::all_cgroups;
using adversarial::read_all_of;
using adversarial::write_to;

// Forks for ever, each in a session of its own and deaf to what can be ignored.
[[noreturn]] void storm() {
  for (int number = 1; number < 65; ++number) signal(number, SIG_IGN);
  for (;;) {
    if (fork() == 0) setsid();
  }
}

class CgroupFolder : public adversarial::GuestTest {
 protected:
  void SetUp() override {
    GuestTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    // What the storm leaves is reaped here.
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  }
  void TearDown() override {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    GuestTest::TearDown();
  }

  static CgroupFacts facts(const AgentCgroup& agent) {
    CgroupFacts out;
    out.version = CgroupFacts::Version::kV2;
    out.memory = out.pids = out.cpu = agent.folder();
    EXPECT_TRUE(write_to(agent.folder() + "/cgroup.subtree_control", "+memory +pids"));
    return out;
  }
  static pid_t start_storm(const Cgroup& cgroup) {
    int pidfd = -1;
    const pid_t pid = raw::clone_process(0, &pidfd, cgroup.clone_fd());
    if (pid == 0) storm();
    close(pidfd);
    return pid;
  }
  // Until the limit has refused some.
  static bool storm_is_raging(const std::string& folder) {
    for (int waited = 0; waited < 60'000; waited += 10) {
      if (cgroup_files::read_keyed(folder, "pids.events", "max").value_or(0) > 10) return true;
      usleep(10'000);
    }
    return false;
  }
  // Who was killed needs the processor to die.
  static bool gets_empty(const std::string& folder) {
    for (int waited = 0; waited < 60'000; waited += 10) {
      if (cgroup_files::read_keyed(folder, "cgroup.events", "populated") == 0) return true;
      usleep(10'000);
    }
    return false;
  }
};
INSTANTIATE_TEST_SUITE_P(, CgroupFolder, testing::Values(adversarial::As::kRoot),
                         adversarial::name_of);

// proves: VLT-40
TEST_P(CgroupFolder, IsEmptyAfterTheKillWhateverRagedInside) {
  const AgentCgroup agent("+memory +pids");
  const CgroupFacts where = facts(agent);
  const auto before = all_cgroups();
  for (int i = 0; i < 5; ++i) {
    const std::string name = cat("storm-", i);
    const std::string folder = cat(agent.folder(), "/", name);
    auto cgroup = make_cgroup_v2(where, name);
    ASSERT_TRUE(cgroup.ok() && (*cgroup)->limit({.pids = 50}).ok());
    ASSERT_GT(start_storm(**cgroup), 0);
    ASSERT_TRUE(storm_is_raging(folder));
    (*cgroup)->kill_all();
    EXPECT_TRUE(gets_empty(folder)) << "one kill is enough, whatever is made meanwhile";
    EXPECT_EQ(read_all_of(folder + "/cgroup.procs"), "");
    EXPECT_GT((*cgroup)->read().cpu.value_or(Millis(0)).count(), 0);
    (*cgroup)->remove();
    EXPECT_EQ(all_cgroups(), before);
  }
}

TEST_P(CgroupFolder, IsNeverOneThatWasThereBefore) {
  const AgentCgroup agent("+memory +pids");
  const CgroupFacts where = facts(agent);
  auto first = make_cgroup_v2(where, "one");
  ASSERT_TRUE(first.ok());
  (*first)->kill_all();
  EXPECT_FALSE(make_cgroup_v2(where, "one").ok());
  (*first)->remove();
  EXPECT_TRUE(make_cgroup_v2(where, "one").ok());  // and removed when it goes
}

// proves partly: VLT-84
TEST_P(CgroupFolder, HasTheProcessorsThatItsRunAskedFor) {
  const AgentCgroup agent("+memory +pids +cpu");
  const CgroupFacts where = facts(agent);
  ASSERT_TRUE(write_to(agent.folder() + "/cgroup.subtree_control", "+cpu"));
  for (const auto& [cpus, bound] :
       {std::pair{2, "200000 100000\n"}, {4096, "409600000 100000\n"}}) {
    auto cgroup = make_cgroup_v2(where, "run");
    ASSERT_TRUE(cgroup.ok() && (*cgroup)->limit({.cpus = cpus}).ok());
    EXPECT_TRUE((*cgroup)->bound_cpus().ok());
    EXPECT_EQ(read_all_of(agent.folder() + "/run/cpu.max"), bound);
  }
}

// Whoever took the controller away meanwhile: the run goes on, and it is known.
TEST_P(CgroupFolder, SaysThatItCannotBoundProcessors) {
  const AgentCgroup agent("+memory +pids");
  const CgroupFacts where = facts(agent);
  auto cgroup = make_cgroup_v2(where, "run");
  ASSERT_TRUE(cgroup.ok() && (*cgroup)->limit({.cpus = 2}).ok());
  EXPECT_FALSE((*cgroup)->bound_cpus().ok());
}

TEST_P(CgroupFolder, OfAKilledLauncherIsSweptWithAllThatIsInside) {
  const AgentCgroup agent("+memory +pids");
  const CgroupFacts where = facts(agent);
  struct stat pid_namespace {};
  ASSERT_EQ(stat("/proc/self/ns/pid", &pid_namespace), 0);
  const auto before = all_cgroups();
  // No process has this number: pid_max is lower. The other is of a container's launcher.
  const std::string gone = cat("paddock-99999999-1-", pid_namespace.st_ino);
  const std::string foreign = cat("paddock-99999999-1-", pid_namespace.st_ino + 1);
  auto dead = make_cgroup_v2(where, gone);
  auto other = make_cgroup_v2(where, foreign);
  ASSERT_TRUE(dead.ok() && other.ok() && (*dead)->limit({.pids = 20}).ok());
  ASSERT_GT(start_storm(**dead), 0);
  ASSERT_TRUE(storm_is_raging(cat(agent.folder(), "/", gone)));
  sweep_stale_cgroups(where);
  EXPECT_FALSE(os::exists(cat(agent.folder(), "/", gone)));
  EXPECT_TRUE(os::exists(cat(agent.folder(), "/", foreign)));
  (*other)->remove();
  EXPECT_EQ(all_cgroups(), before);
}

}  // namespace
}  // namespace paddock::sandbox
