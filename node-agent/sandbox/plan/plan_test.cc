#include "node-agent/sandbox/plan/plan.h"

#include <sys/resource.h>

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/sandbox/plan/every_limit_test_support.h"
#include "node-agent/sandbox/plan/plan_parts.h"
#include "node-agent/sandbox/plan/plan_test_support.h"

namespace paddock::sandbox {
namespace {

using contracts::EnforcementLevel;
using contracts::LaunchRequest;
using testing::HasSubstr;

TEST(SandboxPlan, RefusesWhatItCannotEnforceInsteadOfIgnoringIt) {
  LaunchRequest network = plain_request();
  network.policy.network = contracts::NetworkPolicy{true, {}};
  EXPECT_EQ(refusal(network, root_host()), "INVALID_DOMAIN");
  LaunchRequest device = plain_request();
  device.policy.devices = {"/dev/kvm"};
  EXPECT_EQ(refusal(device, root_host()), "DEVICE_UNAVAILABLE");
  LaunchRequest tools = plain_request();
  tools.policy.tools = {"python3"};
  EXPECT_EQ(refusal(tools, root_host()), "TOOLS_UNSUPPORTED");
}

TEST(SandboxPlan, NeverMountsOverTheSystem) {
  for (const char* target : {"/", "/usr", "/usr/lib", "/etc/passwd", "/proc", "/dev/null", "/tmp",
                             "/lib64/x", "/run/paddock", "relative", "/a/../etc", "/a//b"}) {
    LaunchRequest launch = plain_request();
    launch.mounts[0].sandbox_path = target;
    EXPECT_EQ(refusal(launch, root_host()), "INVALID_MOUNT") << target;
  }
  EXPECT_TRUE(may_be_target("/workspace/data"));
  EXPECT_TRUE(may_be_target("/users"));
}

TEST(SandboxPlan, NamesTheFolderOfTheHostThatIsNotThereOrNotPlain) {
  LaunchRequest launch = plain_request();
  launch.policy.host_mounts = {{"/srv/a", "/a", contracts::MountMode::kReadOnly},
                               {"/srv/b", "/b", contracts::MountMode::kReadOnly}};
  HostFacts host = root_host();
  const auto planned = [&](HostMountFact second) {
    host.named = std::make_shared<const RequestFacts>(
        RequestFacts{.host_mounts = {HostMountFact::kThere, second}});
    return make_plan(launch, host);
  };
  EXPECT_TRUE(planned(HostMountFact::kThere).ok());
  for (const auto& [found, reason] : {std::pair{HostMountFact::kAbsent, "MOUNT_NOT_FOUND"},
                                      std::pair{HostMountFact::kHidden, "MOUNT_NOT_FOUND"},
                                      std::pair{HostMountFact::kLinked, "LINK_IN_MOUNT"},
                                      std::pair{HostMountFact::kOther, "INVALID_MOUNT"}}) {
    const auto plan = planned(found);
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().reason, reason);
    EXPECT_EQ(plan.error().causes.at(0).field, "hostMounts[1].hostPath");
    EXPECT_EQ(plan.error().message.find("/srv"), std::string::npos) << "a host path leaves";
  }
}

// proves: WSM-35
TEST(SandboxPlan, RefusesACommandOneByteOverItsLimit) {
  LaunchRequest launch = plain_request();
  launch.policy.limits.command_bytes = wire::Quantity{10};
  launch.command = {"echo", "12345"};
  EXPECT_EQ(refusal(launch, root_host()), "planned");
  launch.command = {"echo", "123456"};
  EXPECT_EQ(refusal(launch, root_host()), "COMMAND_TOO_LARGE");
}

TEST(SandboxPlan, UsesCgroupsWhereItMay) {
  const auto plan = make_plan(plain_request(), root_host());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->cgroup.memory_bytes, int64_t{512} << 20);
  EXPECT_EQ(plan->cgroup.pids, 32);
  EXPECT_THAT(plan->enforced.at("memory").mechanism, HasSubstr("cgroup v1"));
  EXPECT_EQ(plan->socket_bytes, int64_t{256} << 20);
  EXPECT_THAT(plan->enforced.at("memory").details, HasSubstr("sockets hold besides, up to 256Mi"));
  EXPECT_TRUE(std::ranges::none_of(plan->rlimits, [](const auto& limit) {
    return limit.resource == RLIMIT_AS || limit.resource == RLIMIT_DATA;
  }));
  EXPECT_EQ(plan->host_uid, kDefaultHostId);
}

// An allotment is no wall: where it cannot be held, the run goes on and its result says so.
TEST(SandboxPlan, HoldsARunToItsCoresWhereItMayAndElseSaysThatItDoesNot) {
  LaunchRequest launch = plain_request();
  EXPECT_FALSE(make_plan(launch, root_host())->enforced.contains("cpus"));
  launch.cpus = 3;
  const SandboxPlan held = *make_plan(launch, root_host());
  EXPECT_EQ(held.cgroup.cpus, 3);
  EXPECT_EQ(held.enforced.at("cpus").mechanism, "cgroup v1 cpu");
  EXPECT_EQ(held.enforced.at("cpus").level, EnforcementLevel::kKernel);
  const SandboxPlan free = *make_plan(launch, user_host());
  EXPECT_EQ(free.cgroup.cpus, std::nullopt);
  EXPECT_EQ(free.enforced.at("cpus").level, EnforcementLevel::kNone);
  EXPECT_EQ(free.enforced.at("cpus").reason, "CGROUP_UNAVAILABLE");
  EXPECT_EQ(held.enforced.at("cpus").reason, "");
  EXPECT_FALSE(free.partial);
  HostFacts alone = root_host();  // only the processors are out of reach
  alone.cgroup.bandwidth.clear();
  alone.cgroup.why_no_bandwidth = "cpu: not handed down";
  EXPECT_THAT(make_plan(launch, alone)->enforced.at("cpus").details,
              HasSubstr("cpu: not handed down"));
}

// Programs reserve far more than they touch.
// proves partly: ORB-117
bool bounds_address_space(const SandboxPlan& plan) {
  return std::ranges::any_of(plan.rlimits,
                             [](const auto& limit) { return limit.resource == RLIMIT_AS; });
}

TEST(SandboxPlan, BoundsTheAddressSpaceOnlyWhereThePolicySaysSo) {
  LaunchRequest launch = plain_request();
  launch.policy = *contracts::profile_policy("compute");
  const auto held = make_plan(launch, root_host());
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(held->cgroup.memory_bytes, int64_t{8} << 30);
  EXPECT_FALSE(bounds_address_space(*held));
  const auto without = make_plan(launch, user_host());
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(without->process_memory.private_bytes, int64_t{8} << 30);
  EXPECT_FALSE(bounds_address_space(*without));
  launch.policy.limits.address_space = wire::Quantity{int64_t{4} << 30};
  for (const HostFacts& host : {root_host(), user_host()}) {
    const auto asked = make_plan(launch, host);
    ASSERT_TRUE(asked.ok());
    EXPECT_EQ(asked->process_memory.address_space, int64_t{4} << 30);
    EXPECT_EQ(asked->enforced.at("addressSpace").mechanism, "RLIMIT_AS");
  }
}

TEST(SandboxPlan, ShowsOfTheMachineWhatIsTheRuns) {
  HostFacts host = root_host();
  auto machine = std::make_shared<MachineFacts>();
  machine->processors = {0, 1, 2, 3};
  host.machine = machine;
  LaunchRequest launch = plain_request();
  launch.cpus = 2;
  launch.processors = {3, 1};
  const auto plan = make_plan(launch, host);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->share.processors, (std::vector<int>{1, 3}));
  EXPECT_EQ(plan->share.memory_bytes, int64_t{512} << 20);
}

TEST(SandboxPlan, ReplacesTheAddressSpaceByMemoryForAnAcceleratorAndSaysSo) {
  LaunchRequest launch = plain_request();
  launch.policy = *contracts::profile_policy("compute");
  launch.policy.limits.address_space = wire::Quantity{int64_t{8} << 30};
  launch.policy.devices = {"/dev/nvidia0"};
  SandboxPlan plan;
  ASSERT_TRUE(plan_limits(launch, root_host(), plan).ok());
  EXPECT_EQ(plan.cgroup.memory_bytes, int64_t{8} << 30);
  EXPECT_FALSE(bounds_address_space(plan));
  EXPECT_FALSE(plan.partial);
  EXPECT_EQ(plan.enforced.at("addressSpace").level, EnforcementLevel::kNone);
  EXPECT_EQ(plan.enforced.at("addressSpace").reason, "ACCELERATOR_ADDRESS_SPACE");
  SandboxPlan without;
  const Status refused = plan_limits(launch, user_host(), without);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "MEMORY_UNENFORCEABLE");
  launch.policy.allow_partial = true;
  ASSERT_TRUE(plan_limits(launch, user_host(), without).ok());
  EXPECT_TRUE(without.partial);
}

// proves: VLT-29, VLT-30, VLT-35
TEST(SandboxPlan, FallsBackToProcessLimitsAndSaysSo) {
  const auto plan = make_plan(plain_request(), user_host());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->enforced.at("memory").mechanism, "RLIMIT_DATA");
  EXPECT_EQ(plan->enforced.at("memory").reason, "PER_PROCESS");
  EXPECT_EQ(plan->enforced.at("pids").mechanism, "RLIMIT_NPROC");
  EXPECT_EQ(plan->host_uid, 1234u);
  EXPECT_FALSE(plan->partial);
}

TEST(SandboxPlan, RefusesWhenNothingCanLimitProcessesUnlessPartialIsAllowed) {
  HostFacts host = user_host();
  host.kernel_major = 5;
  host.kernel_minor = 10;
  EXPECT_EQ(refusal(plain_request(), host), "PIDS_UNENFORCEABLE");
  LaunchRequest launch = plain_request();
  launch.policy.allow_partial = true;
  const auto plan = make_plan(launch, host);
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan->partial);
  EXPECT_EQ(plan->enforced.at("pids").level, EnforcementLevel::kNone);
}

TEST(SandboxPlan, ClaimsNothingAppliedBeforeTheKernelAccepted) {
  const auto plan = make_plan(plain_request(), root_host());
  ASSERT_TRUE(plan.ok());
  for (const char* name :
       {"filesystem", "network", "processes", "privileges", "syscalls", "memory", "pids", "cpuTime",
        "wallTime", "openFiles", "fileSize", "fsBytes", "output", "environment"}) {
    ASSERT_TRUE(plan->enforced.contains(name)) << name;
    EXPECT_FALSE(plan->enforced.at(name).applied) << name;
  }
}

TEST(SandboxPlan, SaysOfEveryLimitWhatBecomesOfIt) {
  LaunchRequest launch = plain_request();
  launch.policy.limits = every_limit();
  for (const HostFacts& host : {root_host(), user_host()})
    EXPECT_THAT(ignored_limits(make_plan(launch, host)->enforced), testing::IsEmpty());
}

TEST(SandboxPlan, RefusesRootWithoutItsCapabilities) {
  HostFacts host = user_host();
  host.uid = 0;
  EXPECT_EQ(refusal(plain_request(), host), "LAUNCHER_LACKS_CAPABILITIES");
}

// proves: ORB-121
TEST(Rlimits, HaveSoftEqualToHardExceptForCpuTime) {
  for (const RlimitSetting& limit : render_rlimits(
           plain_request().policy.limits, {int64_t{1} << 30, int64_t{1} << 30}, root_host())) {
    EXPECT_EQ(limit.hard - limit.soft, limit.resource == RLIMIT_CPU ? 1u : 0u) << limit.name;
  }
}

TEST(Plan, GivesAWritableWorkspaceAQuotaThatIsMeasured) {
  LaunchRequest launch = plain_request();
  const auto plan = make_plan(launch, root_host());
  ASSERT_TRUE(plan.ok() && plan->workspace);
  EXPECT_EQ(plan->workspace->folder, "/srv/run/ws");
  EXPECT_EQ(plan->workspace->bytes, launch.policy.limits.fs_bytes->bytes);
  EXPECT_EQ(plan->workspace->files, launch.policy.limits.file_count);
  EXPECT_EQ(plan->enforced.at("workspaceBytes").level, EnforcementLevel::kPolled);
  launch.policy.limits.fs_bytes.reset();
  launch.policy.limits.file_count.reset();
  EXPECT_FALSE(make_plan(launch, root_host())->workspace) << "nothing is limited";
  launch = plain_request();
  launch.mounts[0].mode = contracts::MountMode::kReadOnly;
  EXPECT_FALSE(make_plan(launch, root_host())->workspace) << "nothing can be written";
}

// What goes on while it is measured can move its files about.
TEST(Plan, SaysThatAQuotaIsWeakerWhereNothingStandsStill) {
  HostFacts host = root_host();
  host.cgroup.version = CgroupFacts::Version::kV2;
  EXPECT_EQ(make_plan(plain_request(), host)->enforced.at("workspaceBytes").reason, "");
  host.cgroup = {};
  host.cgroup.why_not = "nobody mounted one";
  const auto plan = make_plan(plain_request(), host);
  for (const char* name : {"workspaceBytes", "workspaceFiles"}) {
    const contracts::Enforcement& said = plan->enforced.at(name);
    EXPECT_EQ(said.reason, "CGROUP_UNAVAILABLE");
    EXPECT_NE(said.details.find("nobody mounted one"), std::string::npos) << said.details;
  }
}

TEST(Plan, GivesTheBuilderOfAnEnvironmentTheSameQuota) {
  LaunchRequest launch = plain_request();
  launch.mounts = {{"/srv/in", "/workspace", contracts::MountMode::kReadOnly},
                   {"/srv/out", "/venv", contracts::MountMode::kReadWrite}};
  const auto plan = make_plan(launch, root_host());
  ASSERT_TRUE(plan.ok() && plan->workspace);
  EXPECT_EQ(plan->workspace->folder, "/srv/out");
  EXPECT_EQ(plan->workspace->bytes, launch.policy.limits.fs_bytes->bytes);
}

}  // namespace
}  // namespace paddock::sandbox
