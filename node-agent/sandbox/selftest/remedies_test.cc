#include "node-agent/sandbox/selftest/remedies.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/sandbox/selftest/canaries.h"

namespace paddock::sandbox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

HostSettings sound_host() {
  HostSettings host;
  host.root = true;
  host.kernel_major = 6;
  host.kernel_minor = 1;
  host.landlock = 2;
  host.max_user_namespaces = 1000;
  host.cgroup = {CgroupFacts::Version::kV2, "/c", "/c", "/c", ""};
  return host;
}

TEST(Remedies, AreNoneOnASoundHost) {
  for (const char* capability : {"network", "memory", "pids", "cpuTime", "landlock"})
    EXPECT_EQ(remedy_for(capability, CanaryEnd::kPassed, sound_host()), "") << capability;
}

// What the kernel counts for the host, and a few runs can use up.
TEST(Remedies, AreSaidWhereRunsCanUseUpWhatTheHostHas) {
  HostSettings host = sound_host();
  host.pid_max = 4194304;
  host.threads_max = 190'000;
  host.file_max = int64_t{65536} * (190'000 / 4 + 1);
  for (const char* capability : {"openFiles", "pids"})
    EXPECT_EQ(remedy_for(capability, CanaryEnd::kPassed, host), "") << capability;
  --*host.file_max;
  EXPECT_THAT(remedy_for("openFiles", CanaryEnd::kPassed, host),
              StartsWith("sysctl -w fs.file-max="));
  host.pid_max = 32768;
  EXPECT_THAT(remedy_for("pids", CanaryEnd::kPassed, host),
              StartsWith("sysctl -w kernel.pid_max=4194304"));
  EXPECT_EQ(remedy_for("fileSize", CanaryEnd::kPassed, host), "");
}

TEST(Remedies, NameTheSettingThatIsInTheWay) {
  HostSettings host = sound_host();
  host.max_user_namespaces = 0;
  EXPECT_EQ(remedy_for("network", CanaryEnd::kFailed, host),
            "sysctl -w user.max_user_namespaces=15000");
  host = sound_host();
  host.root = false;
  host.unprivileged_userns_clone = 0;
  EXPECT_EQ(remedy_for("processes", CanaryEnd::kFailed, host),
            "sysctl -w kernel.unprivileged_userns_clone=1");
  host.unprivileged_userns_clone = 1;
  host.apparmor_restrict_userns = 1;
  EXPECT_THAT(remedy_for("filesystem", CanaryEnd::kFailed, host),
              StartsWith("sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 "));
  host = sound_host();
  host.apparmor_profile = "paddock-sandbox";
  EXPECT_THAT(remedy_for("filesystem", CanaryEnd::kFailed, host),
              AllOf(HasSubstr("`userns,`"), HasSubstr("AppArmor profile paddock-sandbox")));
  host.kernel_major = 4;
  EXPECT_EQ(remedy_for("syscalls", CanaryEnd::kFailed, host), "use Linux 5.14 or later");
}

TEST(Remedies, GuessNothingOfTheHostWhereAnAttemptWasNotMade) {
  const HostSettings host = sound_host();
  EXPECT_NE(remedy_for("syscalls", CanaryEnd::kNotTried, host), "");
  EXPECT_NE(remedy_for("syscalls", CanaryEnd::kNotTried, host),
            remedy_for("syscalls", CanaryEnd::kFailed, host));
}

constexpr Container kContainers[] = {Container::kDocker, Container::kPodman, Container::kKubernetes,
                                     Container::kOther};

TEST(Remedies, AreInTheWordsOfTheContainersRuntime) {
  HostSettings host = sound_host();
  host.apparmor_profile = "docker-default";  // no file of this host
  host.container = Container::kDocker;
  EXPECT_THAT(remedy_for("syscalls", CanaryEnd::kFailed, host),
              AllOf(StartsWith("docker run --security-opt"), HasSubstr("apparmor=unconfined")));
  host.container = Container::kPodman;
  EXPECT_THAT(remedy_for("syscalls", CanaryEnd::kFailed, host),
              StartsWith("podman run --security-opt"));
  host.container = Container::kKubernetes;
  EXPECT_THAT(remedy_for("syscalls", CanaryEnd::kFailed, host),
              AllOf(HasSubstr("securityContext:"), HasSubstr("appArmorProfile: {type: Unconfined}"),
                    Not(HasSubstr("docker"))));
  host.container = Container::kOther;
  EXPECT_THAT(remedy_for("syscalls", CanaryEnd::kFailed, host), HasSubstr("apparmor=unconfined"));
  for (const auto version :
       {CgroupFacts::Version::kNone, CgroupFacts::Version::kV1, CgroupFacts::Version::kV2}) {
    host.cgroup = {version, "", "", "", "not writable"};
    for (const Container each : kContainers) {
      host.container = each;
      EXPECT_THAT(remedy_for("memory", CanaryEnd::kPassed, host), Not(HasSubstr("systemctl")));
      EXPECT_NE(remedy_for("memory", CanaryEnd::kPassed, host), "");
    }
  }
}

// Every way in which a setting can be, alone and with each container.
std::vector<HostSettings> all_kinds_of_hosts() {
  std::vector<HostSettings> hosts = {HostSettings{}, sound_host()};
  const auto also = [&hosts](auto change) {
    const size_t before = hosts.size();
    for (size_t i = 0; i < before; ++i) {
      hosts.push_back(hosts[i]);
      change(hosts.back());
    }
  };
  also([](HostSettings& host) { host.root = !host.root; });
  also([](HostSettings& host) { host.max_user_namespaces = 0; });
  also([](HostSettings& host) { host.unprivileged_userns_clone = 0; });
  also([](HostSettings& host) { host.apparmor_restrict_userns = 1; });
  also([](HostSettings& host) { host.apparmor_profile = "some"; });
  also([](HostSettings& host) { host.seccomp_notify = false; });
  also([](HostSettings& host) { host.landlock = 0; });
  also([](HostSettings& host) { host.cgroup = {}; });
  const size_t before = hosts.size();
  for (const Container each : kContainers) {
    for (size_t i = 0; i < before; ++i) {
      hosts.push_back(hosts[i]);
      hosts.back().container = each;
    }
  }
  return hosts;
}

TEST(Remedies, AreThereForEveryCanaryThatFailedWhateverTheHost) {
  std::set<std::string> without;
  for (const HostSettings& host : all_kinds_of_hosts()) {
    for (const contracts::Canary& canary : judge(CanaryFindings{}, host)) {
      EXPECT_FALSE(canary.passed) << canary.name;
      if (canary.remedy.empty()) without.insert(canary.name);
    }
  }
  EXPECT_THAT(without, testing::IsEmpty());
}

// What doctor lists as missing is told of by a canary, which has the line.
TEST(Remedies, AreThereForEveryCapabilityThatIsMissing) {
  CanaryFindings findings;  // of a sandbox that enforced nothing
  for (const CanarySpec& spec : canary_table()) findings.enforced[std::string(spec.capability)];
  const auto canaries = judge(findings, sound_host());
  for (const contracts::Capability& each : proven(findings, canaries)) {
    EXPECT_FALSE(each.available) << each.name;
    const bool told = std::ranges::any_of(canaries, [&](const contracts::Canary& canary) {
      const bool its_own = canary.capability == each.name || each.name == "sandbox";
      return its_own && !canary.remedy.empty();
    });
    EXPECT_TRUE(told) << each.name;
  }
}

TEST(Remedies, StrengthenALimitThatHoldsPerProcessOnly) {
  HostSettings host = sound_host();
  host.cgroup = {CgroupFacts::Version::kV2, "", "", "", "not delegated"};
  EXPECT_THAT(remedy_for("memory", CanaryEnd::kPassed, host),
              AllOf(HasSubstr("Delegate=cpu memory pids,"),
                    HasSubstr("with systemd 254 or later DelegateSubgroup=")));
  host.root = false;  // the unit is root's
  EXPECT_EQ(remedy_for("memory", CanaryEnd::kPassed, host),
            "systemd-run --user --scope -p Delegate=yes paddock up");
  host.root = true;
  host.cgroup.version = CgroupFacts::Version::kNone;
  EXPECT_EQ(remedy_for("memory", CanaryEnd::kPassed, host), "mount -t cgroup2 none /sys/fs/cgroup");
  EXPECT_EQ(remedy_for("pids", CanaryEnd::kPassed, host), "");  // RLIMIT_NPROC counts the run's own
  EXPECT_EQ(remedy_for("pids", CanaryEnd::kFailed, host), "mount -t cgroup2 none /sys/fs/cgroup");
}

TEST(Remedies, SayHowToBootWithLandlock) {
  HostSettings host = sound_host();
  host.landlock = 0;
  host.security_modules = "lockdown,yama";
  EXPECT_THAT(remedy_for("landlock", CanaryEnd::kFailed, host),
              HasSubstr("lsm=landlock,lockdown,yama"));
}

}  // namespace
}  // namespace paddock::sandbox
