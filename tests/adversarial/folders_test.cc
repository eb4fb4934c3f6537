// What the kernel keeps for folders that a program has open, which no cgroup counts.
#include <sys/vfs.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;

class OpenFolders : public SandboxTest {
 protected:
  contracts::LaunchRequest hoarding(const char* how) {
    contracts::LaunchRequest launch = request(probe("hoard_folders", {how}));
    launch.policy.limits.memory = wire::Quantity{64 * kMiB};
    launch.policy.limits.open_files = 4096;
    launch.policy.limits.wall_time = wire::Duration{kAmple};
    launch.policy.limits.cpu_time = wire::Duration{kAmple};
    return launch;
  }
  // Elsewhere the kernel keeps less, or has it in memory that is counted.
  bool is_kept_here() const {
    constexpr decltype(statfs::f_type) kExt = 0xef53;
    struct statfs info {};
    const auto memory = os::read_file("/proc/meminfo", 64 << 10);
    return statfs(workspace().c_str(), &info) == 0 && info.f_type == kExt && memory.ok() &&
           memory->find("\nSUnreclaim:") != std::string::npos;
  }
  void expect_ended(const char* how) {
    if (!is_kept_here()) GTEST_SKIP() << "no ext4, or /proc/meminfo does not tell of the kernel";
    const Finished done = run(hoarding(how));
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->status, SandboxStatus::kMemLimit) << done.result->reason << done.out;
    EXPECT_EQ(done.result->code, "E_LIMIT_MEMORY");
    EXPECT_THAT(done.result->reason, HasSubstr("open folders")) << done.out;
    ASSERT_TRUE(done.result->enforced.contains("memory"));
    EXPECT_THAT(done.result->enforced.at("memory").details, HasSubstr("open folders"));
  }
};
INSTANTIATE_TEST_SUITE_P(, OpenFolders, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(OpenFolders, OfManyProcessesHoldNoMoreThanTheMemoryAllows) { expect_ended("disk"); }

TEST_P(OpenFolders, OnTheirWayThroughSocketsHoldNoMore) { expect_ended("sent"); }

TEST_P(OpenFolders, ThatThreadsWaitToSendHoldNoMore) { expect_ended("sending"); }

// An ordinary user sees less of such a process.
TEST_P(OpenFolders, OfWhoLetsNobodyLookHoldNoMore) { expect_ended("hidden"); }

TEST_P(OpenFolders, OfWhoLetsNobodyLookAndWaitsToSendHoldNoMore) { expect_ended("hidden-sending"); }

TEST_P(OpenFolders, OfAnHonestProgramAreLetAlone) {
  const Finished done = run(hoarding("honest"));
  EXPECT_EQ(done.out, "HELD 500\n") << done.err;
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
}

// Large trees, as tools walk them: some 20,000 names, and many folders open at once.
constexpr const char* kWalks = R"py(
import os, pathlib, subprocess
for i in range(400):
    os.makedirs(f'tree/{i % 20}/{i}')
    for j in range(50): open(f'tree/{i % 20}/{i}/{j}', 'w').close()
print(sum(1 for _ in pathlib.Path('tree').rglob('*')))
print(len(subprocess.run(['find', 'tree'], capture_output=True).stdout.splitlines()))
print(len(subprocess.run(['du', '-a', 'tree'], capture_output=True).stdout.splitlines()))
held = [os.scandir(f'tree/{i % 20}/{i}') for i in range(400)] + [os.scandir('tree') for _ in range(100)]
print(sum(next(each).name is not None for each in held))
print(sum(len(files) for _, _, files, _ in os.fwalk('tree')))
)py";

TEST_P(OpenFolders, OfThoseWhoWalkLargeTreesAreLetAlone) {
  contracts::LaunchRequest launch = hoarding("");
  launch.command = {"python3", "-c", kWalks};
  const Finished done = run(launch);
  EXPECT_EQ(done.out, "20420\n20421\n20421\n500\n20000\n") << done.err;
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
}

}  // namespace
}  // namespace paddock::adversarial
