// Filling the workspace, which lies on the host's own file system.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <stop_token>
#include <thread>

#include "common/os/file.h"
#include "tests/adversarial/sandbox_run.h"
#include "tests/support/temp_dir.h"

namespace paddock::adversarial {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxStatus;
using wire::Quantity;

class Disk : public SandboxTest {
 protected:
  LaunchRequest bounded(std::vector<std::string> command) const {
    LaunchRequest launch = request(std::move(command));
    launch.policy.limits.fs_bytes = Quantity{8 * kMiB};
    launch.policy.limits.file_count = 350;
    return launch;
  }
  void expect_ended(const LaunchRequest& launch, const char* code) {
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->status, SandboxStatus::kLimitExceeded) << done.result->reason;
    EXPECT_EQ(done.result->rc, 153);
    EXPECT_EQ(done.result->code, code) << done.result->reason;
    EXPECT_EQ(done.result->error_class, "LIMIT_EXCEEDED");
  }
  static void make(const std::string& path, off_t bytes) {
    const int fd = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    ASSERT_EQ(posix_fallocate(fd, 0, bytes), 0);
    close(fd);
  }
  // A file of the workspace, of the command's own.
  void put(const std::string& name, off_t bytes) {
    const std::string path = cat(workspace(), "/", name);
    make(path, bytes);
    struct stat owner {};
    ASSERT_EQ(stat(workspace().c_str(), &owner), 0);
    ASSERT_EQ(chown(path.c_str(), owner.st_uid, owner.st_gid), 0);
  }
};
INSTANTIATE_TEST_SUITE_P(, Disk, testing::Values(As::kRoot, As::kUser), name_of);

// proves: WSM-31, ORB-129
TEST_P(Disk, EndsWhoTakesTooMuchSpaceInTheWorkspace) {
  expect_ended(bounded(probe("hoard_bytes")), "E_LIMIT_FS");
}

TEST_P(Disk, NoticesWhoWasTooFastToBeCaught) {
  expect_ended(bounded(probe("hoard_bytes", {"at-once"})), "E_LIMIT_FS");
}

// What others free on the same file system hides nothing, in a folder of any size.
TEST_P(Disk, NoticesWhoGrewWhileOthersFreedSpace) {
  test::TempDir elsewhere;
  const std::string spare = elsewhere.path() + "/spare";
  make(spare, 256 * kMiB);
  for (int i = 0; i < 1100; ++i) put(cat("before-", i), 1);
  const std::jthread other([&](const std::stop_token& over) {
    while (!os::exists(workspace() + "/ready") && !over.stop_requested())
      std::this_thread::sleep_for(Millis{5});
    unlink(spare.c_str());
    put("freed", 1);
  });
  LaunchRequest launch = bounded(
      {"sh", "-c",
       "touch ready; until test -e freed; do sleep 0.01; done; head -c 32000000 /dev/zero > more"});
  launch.policy.limits.file_count.reset();
  expect_ended(launch, "E_LIMIT_FS");
}

// proves: WSM-32
TEST_P(Disk, EndsWhoMakesTooManyFilesInTheWorkspace) {
  expect_ended(bounded(probe("hoard_files")), "E_LIMIT_FILES");
}

TEST_P(Disk, CountsEachNameOfAFile) {
  expect_ended(bounded(probe("hoard_links")), "E_LIMIT_FILES");
}

TEST_P(Disk, CountsFilesWithoutAName) {
  expect_ended(bounded(probe("hoard_nameless")), "E_LIMIT_FS");
  expect_ended(bounded(probe("hoard_nameless", {"headless", "open"})), "E_LIMIT_FS");
  // Only a root launcher may see what is mapped and nothing else.
  if (!as_root()) return;
  expect_ended(bounded(probe("hoard_nameless", {"mapped"})), "E_LIMIT_FS");
  expect_ended(bounded(probe("hoard_nameless", {"headless"})), "E_LIMIT_FS");
}

TEST_P(Disk, CountsFoldersAndEmptyFilesWithoutAName) {
  expect_ended(bounded(probe("hoard_nameless", {"empty"})), "E_LIMIT_FILES");
  struct statfs system {};
  ASSERT_EQ(statfs(workspace().c_str(), &system), 0);
  if (system.f_type != EXT4_SUPER_MAGIC) return;  // elsewhere folders give their blocks back
  for (const char* how : {"folders", "above"}) {
    LaunchRequest launch = bounded(probe("hoard_nameless", {how}));
    launch.policy.limits.fs_bytes = Quantity{2 * kMiB};
    launch.policy.limits.file_count.reset();
    expect_ended(launch, "E_LIMIT_FS");
  }
}

// A rule of Landlock would hold them, which no count sees: without Landlock the probe says so.
TEST_P(Disk, HasNoRulesThatHoldFilesWithoutAName) {
  const Finished done = run(bounded(probe("hoard_nameless", {"ruled"})));
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->rc, 5) << done.result->reason;
}

TEST_P(Disk, CountsProgramsWithoutAName) {
  expect_ended(bounded(probe("hoard_nameless", {"running"})), "E_LIMIT_FS");
}

// On a disk that nobody else writes to: how much of it is gone tells that something is not counted.
TEST_P(Disk, EndsWhoHoldsForSecondsWhatNobodyCanCount) {
  for (const char* how : {"in-flight", "mapped", "closed"}) {
    if (mount("none", workspace().c_str(), "tmpfs", 0, "size=192m,mode=0777") != 0)
      GTEST_SKIP() << "mounts are not possible here";
    const Finished done = run(bounded(probe("hoard_uncounted", {how})));
    EXPECT_EQ(umount2(workspace().c_str(), MNT_DETACH), 0);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->code, "E_LIMIT_FS") << how << done.result->reason << done.err;
    // Whose own folder of /proc is closed is counted all the same.
    if (std::string_view(how) == "closed") {
      EXPECT_THAT(done.result->reason, testing::HasSubstr("grew by"));
    }
  }
}

// Where its cgroup can be frozen it is ended before it has a hundredth of what it wants; else
// within the seconds for which it may hold up the count.
TEST_P(Disk, EndsWhoKeepsItFromBeingMeasured) {
  LaunchRequest launch = bounded(probe("hoard_stalling", {"8", "6", "20000"}));
  launch.policy.limits.address_space = Quantity{int64_t{1} << 40};
  launch.policy.limits.file_count.reset();
  if (!as_root()) launch.policy.limits.memory.reset();
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->code, "E_LIMIT_FS") << done.result->reason;
  EXPECT_THAT(done.out, testing::Not(testing::HasSubstr("HAD IT ALL")));
  const bool still = done.result->enforced.at("workspaceBytes").mechanism.find("stands still") !=
                     std::string::npos;
  EXPECT_TRUE(still || !as_root()) << "root on a host with cgroups";
  EXPECT_EQ(done.result->enforced.at("workspaceBytes").reason, still ? "" : "CGROUP_UNAVAILABLE");
}

TEST_P(Disk, EndsWhoHopsAwayWithWhatItHolds) {
  LaunchRequest launch = bounded(probe("hoard_hopping", {"16", "16"}));
  launch.policy.limits.open_files = 4096;
  launch.policy.limits.file_size = Quantity{64 * kMiB};
  launch.policy.limits.cpu_time = wire::Duration{kAmple};
  if (!as_root()) GTEST_SKIP() << "without a cgroup nothing keeps it from hopping";
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->code, "E_LIMIT_FS") << done.result->reason << done.err;
  EXPECT_THAT(done.out, testing::Not(testing::HasSubstr("HAD IT ALL")));
}

// A disk is set aside in less time than lies between two looks.
TEST_P(Disk, SetsNoneOfItAside) { expect_contained("hoard_reserved"); }

// Libraries write where a file system sets nothing aside, and holes give back.
TEST_P(Disk, KnowsProgramsThatSetSpaceAside) {
  const Finished done = run(request({"python3", "-c", R"(
import os, subprocess, tempfile
with open('large', 'wb') as out: os.posix_fallocate(out.fileno(), 0, 6 << 20)
print(os.stat('large').st_size >> 20, os.stat('large').st_blocks >> 11)
subprocess.run('fallocate -x -l 3M a && fallocate -p -l 1M a', shell=True, check=True)
print(os.stat('a').st_size >> 20, os.stat('a').st_blocks >> 11)
with tempfile.TemporaryFile() as scratch: os.posix_fallocate(scratch.fileno(), 0, 1 << 20)
memory = os.memfd_create('m')
os.posix_fallocate(memory, 0, 1 << 20)
print(os.fstat(memory).st_size >> 20)
)"}));
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.out, "6 6\n3 2\n1\n") << done.err;
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
}

// What is measured in between goes on as if nothing was: sleeps, waits, locks and pipes.
TEST_P(Disk, LetsHonestWorkGoOnAfterEachLook) {
  LaunchRequest launch = request({"python3", "-c", R"(
import os, select, subprocess, threading, time
data = os.urandom(1 << 20)
def wait(seconds):
    end = time.monotonic() + seconds
    poll = select.epoll()
    while time.monotonic() < end:
        poll.poll(0.01)
threads = [threading.Thread(target=wait, args=(1.5,)) for _ in range(4)]
for each in threads: each.start()
child = subprocess.Popen(['sh', '-c', 'for i in $(seq 100); do echo $i; sleep 0.01; done'], stdout=subprocess.PIPE)
for i in range(40):
    with open('file-%d' % (i % 4), 'wb') as out: out.write(data)
    time.sleep(0.03)
lines = child.stdout.read().split()
for each in threads: each.join()
print(len(lines), child.wait())
)"});
  launch.policy.limits.fs_bytes = Quantity{6 * kMiB};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason << done.err;
  EXPECT_EQ(done.out, "100 0\n");
}

TEST_P(Disk, CountsWhatIsInAFolderThatNobodyMayRead) {
  expect_ended(bounded(probe("hoard_hidden")), "E_LIMIT_FS");
  ASSERT_EQ(chmod((workspace() + "/hidden").c_str(), 0700), 0);
  ASSERT_EQ(rename((workspace() + "/hidden").c_str(), (workspace() + "/before").c_str()), 0);
  expect_ended(bounded(probe("hoard_hidden", {"at-once"})), "E_LIMIT_FS");
  ASSERT_EQ(chmod((workspace() + "/hidden").c_str(), 0700), 0);
}

TEST_P(Disk, EndsWhoNestsFoldersBeyondMeasure) {
  expect_ended(bounded(probe("hoard_depth")), "E_LIMIT_FS");
}

TEST_P(Disk, BoundsTheGrowthAndNotWhatWasThere) {
  put("large", 20 * kMiB);
  const Finished done =
      run(bounded({"sh", "-c",
                   "mv large moved && ln moved name && chmod 600 moved && truncate -s 400M sparse "
                   "&& head -c 4000000 /dev/zero > more && mkdir hidden && chmod 0 hidden"}));
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason << done.err;
  const auto& enforced = done.result->enforced;
  for (const char* name : {"workspaceBytes", "workspaceFiles"}) {
    EXPECT_TRUE(enforced.at(name).applied);
    EXPECT_EQ(enforced.at(name).level, contracts::EnforcementLevel::kPolled);
  }
  EXPECT_EQ(enforced.at("workspaceFiles").requested, wire::Value(350));
}

// What an earlier command of a session left is not this one's: it may take it away, however long
// that takes, and make files meanwhile as long as there is no more than before.
TEST_P(Disk, EndsNobodyForWhatAnEarlierCommandLeft) {
  put("large", 20 * kMiB);
  LaunchRequest launch =
      bounded({"sh", "-c", "sleep 0.5; rm large; head -c 15000000 /dev/zero > less; sleep 0.5"});
  launch.whole_workspace = true;
  expect_ended(launch, "E_LIMIT_FS");
  put("large", 20 * kMiB);
  launch.overfull_workspace = true;
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason << done.err;
  for (const char* grows :
       {"sleep 0.5; head -c 100000 /dev/zero > a; exec sleep 60", "head -c 100000 /dev/zero > b"}) {
    launch.command = {"sh", "-c", grows};
    expect_ended(launch, "E_LIMIT_FS");
  }
  launch.policy.limits.fs_bytes = Quantity{64 * kMiB};
  for (int i = 0; i < 360; ++i) put(cat("before-", i), 1);
  launch.command = {"sh", "-c", "rm before-1; touch as-many"};
  EXPECT_EQ(run(launch).result.value().status, SandboxStatus::kOk);
  launch.command = {"sh", "-c", "touch one-more"};
  expect_ended(launch, "E_LIMIT_FILES");
}

// Nor what it left in folders that it closed, which an ordinary user's launcher opens to count it.
TEST_P(Disk, EndsNobodyForWhatAnEarlierCommandHid) {
  ASSERT_EQ(run(bounded({"mkdir", "closed"})).result.value().status, SandboxStatus::kOk);
  put("closed/large", 20 * kMiB);
  ASSERT_EQ(chmod((workspace() + "/closed").c_str(), 0), 0);
  LaunchRequest launch = bounded({"true"});
  launch.whole_workspace = true;
  expect_ended(launch, "E_LIMIT_FS");
  launch.overfull_workspace = true;
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason << done.err;
  ASSERT_EQ(chmod((workspace() + "/closed").c_str(), 0700), 0);
}

// It counts as it is; and where command and launcher are one user, the next command has it.
TEST_P(Disk, CountsAWorkspaceThatIsClosedItself) {
  const auto closing = [](const char* bytes) {
    return std::vector<std::string>{
        "sh", "-c", cat("head -c ", bytes, " /dev/zero > a; chmod ${0:-0} /workspace; exec true")};
  };
  expect_ended(bounded(closing("20000000")), "E_LIMIT_FS");
  ASSERT_EQ(chmod(workspace().c_str(), 0755), 0);
  if (as_root()) return;
  for (const char* mode : {"0", "400", "100"}) {
    LaunchRequest launch = bounded(closing("4000000"));
    launch.command.emplace_back(mode);
    launch.whole_workspace = true;
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason << done.err;
  }
}

// An operator's own quota of the agent's folders holds.
TEST_P(Disk, IsOfNoOtherProject) { expect_contained("project_id"); }

TEST_P(Disk, OfAReadOnlyWorkspaceNeedsNoQuota) {
  LaunchRequest launch = bounded({"true"});
  launch.mounts[0].mode = contracts::MountMode::kReadOnly;
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
  EXPECT_FALSE(done.result->enforced.contains("workspaceBytes"));
}

}  // namespace
}  // namespace paddock::adversarial
