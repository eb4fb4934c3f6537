// What a command can do with files: two walls, mounts of the host, quotas, tools, devices.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "common/os/file.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::EnforcementLevel;
using contracts::SandboxStatus;
using testing::HasSubstr;

class Files : public SandboxTest {};
INSTANTIATE_TEST_SUITE_P(, Files, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Files, AreBehindASecondWallWhereTheKernelHasOne) {
  const Finished probed = run(std::vector<std::string>{"true"});
  ASSERT_TRUE(probed.result);
  const contracts::Enforcement& wall = probed.result->enforced.at("landlock");
  if (wall.level == EnforcementLevel::kNone) {
    EXPECT_FALSE(wall.applied);
    GTEST_SKIP() << wall.details;
  }
  EXPECT_TRUE(wall.applied);
  expect_contained("second_wall");
}

// proves: WSM-25
TEST_P(Files, ThatAreNoListedToolAreNotExecuted) {
  contracts::LaunchRequest launch = request({"sh", "-c", R"sh(
try() { "$@" >/dev/null 2>&1 && echo "BREACH $*"; }
echo visible $(cat /etc/hostname)
try ls /; try /usr/bin/ls /; try /bin/ls /; try /probes/descriptors
[ -z "$(ls /)" ] || echo BREACH substitution
echo x | ls / && echo BREACH pipe
for folder in /workspace /tmp /dev/shm; do
  cp /probes/descriptors $folder/copy && chmod 755 $folder/copy && try $folder/copy
  cp /usr/bin/cat $folder/cat && try $folder/cat /etc/hostname
  try /lib64/ld-linux-x86-64.so.2 $folder/cat /etc/hostname
done
ln -s /probes/descriptors /workspace/link; try /workspace/link
ln -s /usr/bin/dash /workspace/ls; /workspace/ls -c 'echo a link to a listed tool'
printf '#!/bin/sh\necho ran\n' > /workspace/script; chmod 755 /workspace/script
try /workspace/script
printf 'ls / && echo BREACH in a script\n' > /workspace/lines; sh /workspace/lines
)sh"});
  launch.policy.tools = {"sh", "cat", "cp", "ln", "chmod"};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  if (done.result->reason.find("TOOLS_UNSUPPORTED") != std::string::npos)
    GTEST_SKIP() << done.result->reason;
  EXPECT_THAT(done.out, testing::Not(HasSubstr("BREACH"))) << done.err;
  EXPECT_THAT(done.out, HasSubstr("visible sandbox\na link to a listed tool\n")) << done.err;
  EXPECT_TRUE(done.result->enforced.at("tools").applied);
}

TEST_P(Files, ThatAToolsListNamesMustExist) {
  contracts::LaunchRequest launch = request({"true"});
  launch.policy.tools = {"true", "no-such-program"};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_FALSE(done.started);
  EXPECT_EQ(done.result->status, SandboxStatus::kInternalError);
  EXPECT_THAT(done.result->reason, testing::AnyOf(HasSubstr("tools[1]: no-such-program"),
                                                  HasSubstr("TOOLS_UNSUPPORTED")));
}

// An operator who names too much is not followed.
TEST_P(Files, OfEtcThatAnOperatorAddsShowNothingElse) {
  if (!os::exists("/etc/login.defs")) GTEST_SKIP() << "this host has no /etc/login.defs";
  in_launcher_ = [] {
    setenv("PADDOCK_ETC_FILES",
           "login.defs,shadow,ssh,ssh/ssh_config,ssl,passwd,machine-id,fstab,mtab,../root,.,,*", 1);
  };
  const Finished done = run(std::vector<std::string>{"sh", "-c", R"sh(
head -c 1 /etc/login.defs >/dev/null && echo shown
(: > /etc/login.defs) 2>/dev/null && echo BREACH written
for name in shadow ssh machine-id fstab ssl/private; do [ -e /etc/$name ] && echo "BREACH $name"; done
cmp -s /etc/mtab /proc/mounts || echo BREACH mtab
grep -q '^root:' /etc/passwd && echo BREACH passwd
ls /root >/dev/null 2>&1 && echo BREACH root
env | grep ETC_FILES && echo BREACH env
echo end
)sh"});
  EXPECT_EQ(done.out, "shown\nend\n") << done.err;
}

// proves: WSM-24
TEST_P(Files, OfTheHostAreThereAsTheirMountSays) {
  for (const char* name : {"/given-ro", "/given-rw"}) {
    ASSERT_EQ(mkdir((folder() + name).c_str(), 0777), 0);
    ASSERT_EQ(chmod((folder() + name).c_str(), 0777), 0);
    ASSERT_TRUE(os::write_file_atomic(folder() + name + "/here", "host\n", 0644).ok());
  }
  contracts::LaunchRequest launch =
      request({"sh", "-c",
               "cat /ro/here /rw/here; touch /ro/new || echo denied; echo new > /rw/new; "
               "ls -d /ro/../given-ro /rw/.. /given-ro"});
  launch.policy.host_mounts = {{folder() + "/given-ro", "/ro", contracts::MountMode::kReadOnly},
                               {folder() + "/given-rw", "/rw", contracts::MountMode::kReadWrite}};
  const Finished done = run(launch);
  EXPECT_EQ(done.out, "host\nhost\ndenied\n/rw/..\n") << done.err;
  EXPECT_EQ(os::read_file(folder() + "/given-rw/new").value(), "new\n");
  EXPECT_NE(access((folder() + "/given-ro/new").c_str(), F_OK), 0);
}

// proves: WSM-96
TEST_P(Files, OfTheHostAreNotReachedThroughALink) {
  ASSERT_EQ(symlink("/etc", (folder() + "/link").c_str()), 0);
  for (const char* path : {"/link", "/link/ssl"}) {
    contracts::LaunchRequest launch = request({"ls", "/data"});
    launch.policy.host_mounts = {{folder() + path, "/data", contracts::MountMode::kReadOnly}};
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    EXPECT_FALSE(done.started);
    EXPECT_THAT(done.result->reason, HasSubstr("hostMounts[0].hostPath: "));
    EXPECT_EQ(done.result->reason.find(folder()), std::string::npos) << "a host path leaves";
  }
}

// A folder that is exchanged for a link, over and over, while sandboxes are being built from it.
// proves: WSM-96
TEST_P(Files, SwappedForALinkDuringTheLaunchAreNeverFollowed) {
  const std::string at = folder() + "/swapped";
  const std::string other = folder() + "/other";
  ASSERT_EQ(mkdir(at.c_str(), 0755), 0);
  ASSERT_EQ(mkdir((folder() + "/secret").c_str(), 0755), 0);
  ASSERT_TRUE(os::write_file_atomic(at + "/word", "open", 0644).ok());
  ASSERT_TRUE(os::write_file_atomic(folder() + "/secret/word", "secret", 0644).ok());
  ASSERT_EQ(symlink((folder() + "/secret").c_str(), other.c_str()), 0);
  std::atomic<bool> stop = false;
  std::thread swapping([&] {
    while (!stop) syscall(SYS_renameat2, AT_FDCWD, at.c_str(), AT_FDCWD, other.c_str(), 2U);
  });
  for (int i = 0; i < 12; ++i) {
    contracts::LaunchRequest launch = request({"cat", "/data/word"});
    if (i % 2 == 0) {
      launch.mounts.push_back({at, "/data", contracts::MountMode::kReadOnly});
    } else {
      launch.policy.host_mounts = {{at, "/data", contracts::MountMode::kReadOnly}};
    }
    const Finished done = run(launch);
    EXPECT_THAT(done.out, testing::AnyOf("open", "")) << "launch " << i;
    EXPECT_TRUE(done.started || done.result.value().status == SandboxStatus::kInternalError);
  }
  stop = true;
  swapping.join();
}

TEST_P(Files, OfDevicesAreOnlyThoseGranted) {
  if (geteuid() != 0) GTEST_SKIP() << "not root: cannot make a device node to grant";
  const std::string device = cat("/dev/paddock-test-", getpid());
  ASSERT_EQ(mknod(device.c_str(), S_IFCHR | 0666, makedev(1, 5)), 0);  // another /dev/zero
  ASSERT_EQ(chmod(device.c_str(), 0666), 0);
  contracts::LaunchRequest launch = request({"sh", "-c",
                                             cat("head -c 3 ", device, " | wc -c; echo x > ",
                                                 device, " && echo written; cd /dev; echo *")});
  const Finished without = run(launch);
  launch.policy.devices = {device};
  const Finished with = run(launch);
  unlink(device.c_str());
  const std::string rest = cat(" ptmx pts random shm stderr stdin stdout ",
                               os::exists("/dev/tty") ? "tty " : "", "urandom zero\n");
  EXPECT_EQ(without.out, cat("0\nfd full null", rest));
  EXPECT_EQ(with.out, cat("3\nwritten\nfd full null ", device.substr(5), rest)) << with.err;
  ASSERT_TRUE(with.result);
  EXPECT_TRUE(with.result->enforced.at("devices").applied);
}

TEST_P(Files, ThatAreNoHarmlessDeviceAreNotGranted) {
  for (const char* path : {"/dev/loop0", "/dev/mem", "/dev/kmsg", "/dev/nothing", "/dev/shm",
                           "/etc/passwd", "/dev/../etc/passwd", "/dev/stdin"}) {
    contracts::LaunchRequest launch = request({"true"});
    launch.policy.devices = {path};
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    EXPECT_FALSE(done.started) << path;
    EXPECT_THAT(done.result->reason, HasSubstr("DEVICE_UNAVAILABLE: devices[0]")) << path;
  }
}

}  // namespace
}  // namespace paddock::adversarial
