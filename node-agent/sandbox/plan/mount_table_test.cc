#include "node-agent/sandbox/plan/mount_table.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/sandbox/plan/plan_test_support.h"

namespace paddock::sandbox {
namespace {

using contracts::LaunchRequest;
using testing::HasSubstr;
using testing::Not;

TEST(MountTable, LacksTheTerminalsDeviceWhereTheHostDoes) {
  HostFacts host = root_host();
  host.tty_device = false;
  EXPECT_THAT(describe_mounts(render_mounts(plain_request(), host)), Not(HasSubstr("/dev/tty")));
}

TEST(MountTable, IsTheSystemReadOnlyAndOneWritableWorkspace) {
  EXPECT_EQ(describe_mounts(render_mounts(plain_request(), root_host())),
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
  const std::string told = make_plan(plain_request(), root_host())->share.mounts;
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
  LaunchRequest launch = plain_request();
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
  const auto table = render_mounts(plain_request(), host);
  EXPECT_THAT(describe_mounts(table), HasSubstr("cover /usr/lib/locale ro\n"
                                                "system /usr/lib/locale/C.utf8 ro\n"
                                                "system /usr/lib/locale/locale-archive ro\n"
                                                "system /usr/lib/locale/en_US.utf8 ro\n"));
  const auto named = std::ranges::find(table, "/usr/lib/locale/en_US.utf8", &MountEntry::target);
  ASSERT_NE(named, table.end());
  EXPECT_EQ(named->source, "/usr/lib/locale/C.utf8");
}

TEST(MountTable, KeepsHostPathsOutOfThePolicyFile) {
  LaunchRequest launch = plain_request();
  launch.policy.host_mounts = {{"/srv/private/data", "/data", contracts::MountMode::kReadOnly}};
  for (const MountEntry& entry : render_mounts(launch, root_host())) {
    if (entry.kind != MountEntry::Kind::kFile) continue;
    EXPECT_THAT(entry.source, Not(HasSubstr("/srv/private")));
  }
}

}  // namespace
}  // namespace paddock::sandbox
