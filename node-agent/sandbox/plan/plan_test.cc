#include "node-agent/sandbox/plan/plan.h"

#include <sys/resource.h>

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/sandbox/plan/every_limit_test_support.h"
#include "node-agent/sandbox/plan/plan_parts.h"

namespace paddock::sandbox {
namespace {

using contracts::EnforcementLevel;
using contracts::LaunchRequest;
using testing::HasSubstr;
using testing::Not;

HostFacts root_host() {
  HostFacts host;
  host.privileged = true;
  host.kernel_major = 6;
  host.hard_open_files = host.hard_file_size = host.hard_address_space = RLIM_INFINITY;
  host.cgroup = {CgroupFacts::Version::kV1, "/cg/memory", "/cg/pids", "/cg/cpuacct", "/cg/cpu", ""};
  host.system = {{"/usr", ""}, {"/bin", "usr/bin"}};
  host.etc = {{"/etc/alternatives", ""}};
  host.tty_device = true;
  return host;
}

HostFacts user_host() {
  HostFacts host = root_host();
  host.privileged = false;
  host.uid = host.gid = 1234;
  host.cgroup = {};
  host.cgroup.why_not = "no writable cgroup";
  return host;
}

LaunchRequest request() {
  LaunchRequest out;
  out.trace_id = "t";
  out.command = {"true"};
  out.workdir = "/workspace";
  out.policy = *contracts::profile_policy("test");
  out.mounts = {{"/srv/run/ws", "/workspace", contracts::MountMode::kReadWrite}};
  return out;
}

std::string refusal(const LaunchRequest& launch, const HostFacts& host) {
  const auto plan = make_plan(launch, host);
  return plan.ok() ? "planned" : plan.error().reason.str();
}

TEST(SandboxPlan, RefusesWhatItCannotEnforceInsteadOfIgnoringIt) {
  LaunchRequest network = request();
  network.policy.network = contracts::NetworkPolicy{true, {}};
  EXPECT_EQ(refusal(network, root_host()), "INVALID_DOMAIN");
  LaunchRequest device = request();
  device.policy.devices = {"/dev/kvm"};
  EXPECT_EQ(refusal(device, root_host()), "DEVICE_UNAVAILABLE");
  LaunchRequest tools = request();
  tools.policy.tools = {"python3"};
  EXPECT_EQ(refusal(tools, root_host()), "TOOLS_UNSUPPORTED");
}

TEST(SandboxPlan, NeverMountsOverTheSystem) {
  for (const char* target : {"/", "/usr", "/usr/lib", "/etc/passwd", "/proc", "/dev/null", "/tmp",
                             "/lib64/x", "/run/paddock", "relative", "/a/../etc", "/a//b"}) {
    LaunchRequest launch = request();
    launch.mounts[0].sandbox_path = target;
    EXPECT_EQ(refusal(launch, root_host()), "INVALID_MOUNT") << target;
  }
  EXPECT_TRUE(may_be_target("/workspace/data"));
  EXPECT_TRUE(may_be_target("/users"));
}

// proves: WSM-35
TEST(SandboxPlan, RefusesACommandOneByteOverItsLimit) {
  LaunchRequest launch = request();
  launch.policy.limits.command_bytes = wire::Quantity{10};
  launch.command = {"echo", "12345"};
  EXPECT_EQ(refusal(launch, root_host()), "planned");
  launch.command = {"echo", "123456"};
  EXPECT_EQ(refusal(launch, root_host()), "COMMAND_TOO_LARGE");
}

TEST(SandboxPlan, UsesCgroupsWhereItMay) {
  const auto plan = make_plan(request(), root_host());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->cgroup.memory_bytes, int64_t{512} << 20);
  EXPECT_EQ(plan->cgroup.pids, 32);
  EXPECT_THAT(plan->enforced.at("memory").mechanism, HasSubstr("cgroup v1"));
  EXPECT_TRUE(std::ranges::none_of(plan->rlimits,
                                   [](const auto& limit) { return limit.resource == RLIMIT_AS; }));
  EXPECT_EQ(plan->host_uid, kDefaultHostId);
}

bool bounds_address_space(const SandboxPlan& plan) {
  return std::ranges::any_of(plan.rlimits,
                             [](const auto& limit) { return limit.resource == RLIMIT_AS; });
}

// An allotment is no wall: where it cannot be held, the run goes on and its result says so.
TEST(SandboxPlan, HoldsARunToItsCoresWhereItMayAndElseSaysThatItDoesNot) {
  LaunchRequest launch = request();
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
TEST(SandboxPlan, BoundsTheAddressSpaceWhereNothingElseHoldsTheMemoryOrThePolicySaysSo) {
  LaunchRequest launch = request();
  launch.policy = *contracts::profile_policy("compute");
  const auto held = make_plan(launch, root_host());
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(held->cgroup.memory_bytes, int64_t{8} << 30);
  EXPECT_FALSE(bounds_address_space(*held));
  const auto without = make_plan(launch, user_host());
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(without->address_space, int64_t{8} << 30);
  EXPECT_TRUE(bounds_address_space(*without));
  launch.policy.limits.address_space = wire::Quantity{int64_t{4} << 30};
  for (const HostFacts& host : {root_host(), user_host()}) {
    const auto asked = make_plan(launch, host);
    ASSERT_TRUE(asked.ok());
    EXPECT_EQ(asked->address_space, int64_t{4} << 30);
    EXPECT_EQ(asked->enforced.at("addressSpace").mechanism, "RLIMIT_AS");
  }
}

TEST(SandboxPlan, ShowsOfTheMachineWhatIsTheRuns) {
  HostFacts host = root_host();
  auto machine = std::make_shared<MachineFacts>();
  machine->processors = {0, 1, 2, 3};
  host.machine = machine;
  LaunchRequest launch = request();
  launch.cpus = 2;
  launch.processors = {3, 1};
  const auto plan = make_plan(launch, host);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->share.processors, (std::vector<int>{1, 3}));
  EXPECT_EQ(plan->share.memory_bytes, int64_t{512} << 20);
}

TEST(SandboxPlan, ReplacesTheAddressSpaceByMemoryForAnAcceleratorAndSaysSo) {
  LaunchRequest launch = request();
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
  const auto plan = make_plan(request(), user_host());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->enforced.at("memory").mechanism, "RLIMIT_AS");
  EXPECT_EQ(plan->enforced.at("memory").reason, "PER_PROCESS");
  EXPECT_EQ(plan->enforced.at("pids").mechanism, "RLIMIT_NPROC");
  EXPECT_EQ(plan->host_uid, 1234u);
  EXPECT_FALSE(plan->partial);
}

TEST(SandboxPlan, RefusesWhenNothingCanLimitProcessesUnlessPartialIsAllowed) {
  HostFacts host = user_host();
  host.kernel_major = 5;
  host.kernel_minor = 10;
  EXPECT_EQ(refusal(request(), host), "PIDS_UNENFORCEABLE");
  LaunchRequest launch = request();
  launch.policy.allow_partial = true;
  const auto plan = make_plan(launch, host);
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan->partial);
  EXPECT_EQ(plan->enforced.at("pids").level, EnforcementLevel::kNone);
}

TEST(SandboxPlan, ClaimsNothingAppliedBeforeTheKernelAccepted) {
  const auto plan = make_plan(request(), root_host());
  ASSERT_TRUE(plan.ok());
  for (const char* name :
       {"filesystem", "network", "processes", "privileges", "syscalls", "memory", "pids", "cpuTime",
        "wallTime", "openFiles", "fileSize", "fsBytes", "output", "environment"}) {
    ASSERT_TRUE(plan->enforced.contains(name)) << name;
    EXPECT_FALSE(plan->enforced.at(name).applied) << name;
  }
}

TEST(SandboxPlan, SaysOfEveryLimitWhatBecomesOfIt) {
  LaunchRequest launch = request();
  launch.policy.limits = every_limit();
  for (const HostFacts& host : {root_host(), user_host()})
    EXPECT_THAT(ignored_limits(make_plan(launch, host)->enforced), testing::IsEmpty());
}

TEST(SandboxPlan, RefusesRootWithoutItsCapabilities) {
  HostFacts host = user_host();
  host.uid = 0;
  EXPECT_EQ(refusal(request(), host), "LAUNCHER_LACKS_CAPABILITIES");
}

TEST(MountTable, LacksTheTerminalsDeviceWhereTheHostDoes) {
  HostFacts host = root_host();
  host.tty_device = false;
  EXPECT_THAT(describe_mounts(render_mounts(request(), host)), Not(HasSubstr("/dev/tty")));
}

TEST(MountTable, IsTheSystemReadOnlyAndOneWritableWorkspace) {
  EXPECT_EQ(describe_mounts(render_mounts(request(), root_host())),
            "system /usr ro\n"
            "symlink /bin -> usr/bin ro\n"
            "file /etc/passwd ro\n"
            "file /etc/group ro\n"
            "file /etc/hosts ro\n"
            "file /etc/hostname ro\n"
            "file /etc/nsswitch.conf ro\n"
            "system /etc/alternatives ro\n"
            "device /dev/null ro\n"
            "device /dev/zero ro\n"
            "device /dev/full ro\n"
            "device /dev/random ro\n"
            "device /dev/urandom ro\n"
            "device /dev/tty ro\n"
            "symlink /dev/fd -> /proc/self/fd ro\n"
            "symlink /dev/stdin -> /proc/self/fd/0 ro\n"
            "symlink /dev/stdout -> /proc/self/fd/1 ro\n"
            "symlink /dev/stderr -> /proc/self/fd/2 ro\n"
            "terminals /dev/pts ro\n"
            "symlink /dev/ptmx -> pts/ptmx ro\n"
            "folder /dev/shm ro\n"
            "proc /proc ro\n"
            "symlink /etc/mtab -> ../proc/mounts ro\n"
            "symlink /sys/devices/system/cpu -> /proc/sys/cpu ro\n"
            "scratch /tmp 536870912 bytes 100000 files rw\n"
            "folder /var ro\n"
            "symlink /var/tmp -> ../tmp ro\n"
            "file /run/paddock/policy.json ro\n"
            "bind /workspace from /srv/run/ws rw\n");
}

// Java, psutil and `df` look there for the file system that a file is on.
TEST(MountTable, IsToldToTheCommandWithoutWhereItComesFrom) {
  const std::string told = make_plan(request(), root_host())->share.mounts;
  for (const char* line :
       {"tmpfs / tmpfs ro,nosuid,nodev 0 0\n", "none /usr none ro,nosuid,nodev 0 0\n",
        "proc /proc proc ro,nosuid,nodev 0 0\n", "tmpfs /tmp tmpfs rw,nosuid,nodev 0 0\n",
        "tmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0\n", "devpts /dev/pts devpts",
        "none /workspace none rw,nosuid,nodev 0 0\n"})
    EXPECT_THAT(told, HasSubstr(line));
  EXPECT_THAT(told, Not(HasSubstr("/srv/run/ws"))) << "a folder of the host";
  EXPECT_EQ(mounts_text({{.kind = MountEntry::Kind::kBind,
                          .target = "/a b\\c",
                          .source = "/x",
                          .no_programs = true,
                          .lower = "/y"}}),
            "tmpfs / tmpfs ro,nosuid,nodev 0 0\n"
            "overlay /a\\040b\\134c overlay ro,nosuid,nodev,noexec 0 0\n");
}

TEST(MountTable, TellsTheCommandOfItsProcessorsBesideItsPolicy) {
  LaunchRequest launch = request();
  const auto told = [&] {
    const auto table = render_mounts(launch, root_host());
    return std::ranges::find(table, "/run/paddock/policy.json", &MountEntry::target)->source;
  };
  EXPECT_THAT(told(), Not(HasSubstr("cpus")));
  launch.cpus = 3;
  EXPECT_THAT(told(), HasSubstr("\"cpus\": 3"));
}

// No name can be added to a folder of the host.
// proves partly: ORB-62
TEST(MountTable, ShowsTheLocaleOfComputeWhereTheHostHasNone) {
  HostFacts host = root_host();
  host.locales = {"/usr/lib/locale/C.utf8", "/usr/lib/locale/locale-archive"};
  const auto table = render_mounts(request(), host);
  EXPECT_THAT(describe_mounts(table), HasSubstr("cover /usr/lib/locale ro\n"
                                                "system /usr/lib/locale/C.utf8 ro\n"
                                                "system /usr/lib/locale/locale-archive ro\n"
                                                "system /usr/lib/locale/en_US.utf8 ro\n"));
  const auto named = std::ranges::find(table, "/usr/lib/locale/en_US.utf8", &MountEntry::target);
  ASSERT_NE(named, table.end());
  EXPECT_EQ(named->source, "/usr/lib/locale/C.utf8");
}

TEST(MountTable, KeepsHostPathsOutOfThePolicyFile) {
  LaunchRequest launch = request();
  launch.policy.host_mounts = {{"/srv/private/data", "/data", contracts::MountMode::kReadOnly}};
  for (const MountEntry& entry : render_mounts(launch, root_host())) {
    if (entry.kind != MountEntry::Kind::kFile) continue;
    EXPECT_THAT(entry.source, Not(HasSubstr("/srv/private")));
  }
}

// proves: ORB-121
TEST(Rlimits, HaveSoftEqualToHardExceptForCpuTime) {
  for (const RlimitSetting& limit :
       render_rlimits(request().policy.limits, int64_t{1} << 30, root_host())) {
    EXPECT_EQ(limit.hard - limit.soft, limit.resource == RLIMIT_CPU ? 1u : 0u) << limit.name;
  }
}

TEST(Plan, GivesAWritableWorkspaceAQuotaThatIsMeasured) {
  LaunchRequest launch = request();
  const auto plan = make_plan(launch, root_host());
  ASSERT_TRUE(plan.ok() && plan->workspace);
  EXPECT_EQ(plan->workspace->folder, "/srv/run/ws");
  EXPECT_EQ(plan->workspace->bytes, launch.policy.limits.fs_bytes->bytes);
  EXPECT_EQ(plan->workspace->files, launch.policy.limits.file_count);
  EXPECT_EQ(plan->enforced.at("workspaceBytes").level, EnforcementLevel::kPolled);
  launch.policy.limits.fs_bytes.reset();
  launch.policy.limits.file_count.reset();
  EXPECT_FALSE(make_plan(launch, root_host())->workspace) << "nothing is limited";
  launch = request();
  launch.mounts[0].mode = contracts::MountMode::kReadOnly;
  EXPECT_FALSE(make_plan(launch, root_host())->workspace) << "nothing can be written";
}

TEST(Plan, GivesTheBuilderOfAnEnvironmentTheSameQuota) {
  LaunchRequest launch = request();
  launch.mounts = {{"/srv/in", "/workspace", contracts::MountMode::kReadOnly},
                   {"/srv/out", "/venv", contracts::MountMode::kReadWrite}};
  const auto plan = make_plan(launch, root_host());
  ASSERT_TRUE(plan.ok() && plan->workspace);
  EXPECT_EQ(plan->workspace->folder, "/srv/out");
  EXPECT_EQ(plan->workspace->bytes, launch.policy.limits.fs_bytes->bytes);
}

TEST(Plan, RefusesARequestThatMakesNoSenseBeforeAnyHostIsAsked) {
  const auto reason = [](auto change) {
    LaunchRequest launch = request();
    change(launch);
    const auto plan = make_plan(launch, root_host());
    return plan.ok() ? "accepted" : plan.error().reason.str();
  };
  using L = LaunchRequest;
  const std::string nul("a\0b", 3);
  EXPECT_EQ(reason([](L&) {}), "accepted");
  EXPECT_EQ(reason([](L& l) { l.workdir = "tmp"; }), "INVALID_WORKDIR");
  EXPECT_EQ(reason([](L& l) { l.command = {}; }), "INVALID_COMMAND");
  EXPECT_EQ(reason([](L& l) { l.command = {""}; }), "INVALID_COMMAND");
  EXPECT_EQ(reason([&](L& l) { l.command.push_back(nul); }), "INVALID_COMMAND");
  EXPECT_EQ(reason([&](L& l) { l.env["A"] = nul; }), "INVALID_ENVIRONMENT");
  EXPECT_EQ(reason([](L& l) { l.env["A=B"] = "c"; }), "INVALID_ENVIRONMENT");
  EXPECT_EQ(reason([](L& l) { l.env[""] = "c"; }), "INVALID_ENVIRONMENT");
  EXPECT_EQ(reason([](L& l) { l.mounts[0].host_path = "ws"; }), "INVALID_MOUNT");
  EXPECT_EQ(reason([](L& l) { l.mounts[0].sandbox_path = "/usr/lib"; }), "INVALID_MOUNT");
  const auto layers = [&](const char* lower, const char* work, contracts::MountMode mode) {
    return reason([&](L& l) {
      l.mounts[0].lower_path = lower;
      l.mounts[0].work_path = work;
      l.mounts[0].mode = mode;
    });
  };
  EXPECT_EQ(layers("/lower", "/work", contracts::MountMode::kReadWrite), "accepted");
  EXPECT_EQ(layers("/lower", "/work", contracts::MountMode::kReadOnly), "INVALID_MOUNT");
  EXPECT_EQ(layers("lower", "/work", contracts::MountMode::kReadWrite), "INVALID_MOUNT");
  EXPECT_EQ(layers("", "/work", contracts::MountMode::kReadWrite), "INVALID_MOUNT");
  EXPECT_EQ(reason([](L& l) { l.policy.limits.command_bytes = wire::Quantity{3}; }),
            "COMMAND_TOO_LARGE");
}

}  // namespace
}  // namespace paddock::sandbox
