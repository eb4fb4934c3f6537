#include "node-agent/sandbox/remedies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::HasSubstr;

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
    EXPECT_EQ(remedy_for(capability, true, sound_host()), "") << capability;
}

TEST(Remedies, NameTheSettingThatIsInTheWay) {
  HostSettings host = sound_host();
  host.max_user_namespaces = 0;
  EXPECT_EQ(remedy_for("network", false, host), "sysctl -w user.max_user_namespaces=15000");
  host = sound_host();
  host.root = false;
  host.unprivileged_userns_clone = 0;
  EXPECT_EQ(remedy_for("processes", false, host), "sysctl -w kernel.unprivileged_userns_clone=1");
  host.unprivileged_userns_clone = 1;
  host.apparmor_restrict_userns = 1;
  EXPECT_EQ(remedy_for("filesystem", false, host),
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
  host = sound_host();
  host.container = true;
  EXPECT_THAT(remedy_for("syscalls", false, host), HasSubstr("docker run --security-opt"));
  host.kernel_major = 4;
  EXPECT_EQ(remedy_for("syscalls", false, host), "use Linux 5.14 or later");
}

TEST(Remedies, StrengthenALimitThatHoldsPerProcessOnly) {
  HostSettings host = sound_host();
  host.cgroup = {CgroupFacts::Version::kV2, "", "", "", "not delegated"};
  EXPECT_THAT(remedy_for("memory", true, host), HasSubstr("Delegate=yes"));
  host.cgroup.version = CgroupFacts::Version::kNone;
  EXPECT_EQ(remedy_for("memory", true, host), "mount -t cgroup2 none /sys/fs/cgroup");
  EXPECT_EQ(remedy_for("pids", true, host), "");  // RLIMIT_NPROC counts the run's own
  EXPECT_EQ(remedy_for("pids", false, host), "mount -t cgroup2 none /sys/fs/cgroup");
}

TEST(Remedies, SayHowToBootWithLandlock) {
  HostSettings host = sound_host();
  host.landlock = 0;
  host.security_modules = "lockdown,yama";
  EXPECT_THAT(remedy_for("landlock", false, host), HasSubstr("lsm=landlock,lockdown,yama"));
}

}  // namespace
}  // namespace paddock::sandbox
