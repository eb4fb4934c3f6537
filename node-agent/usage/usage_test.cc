#include <gtest/gtest.h>

#include "common/os/file.h"
#include "node-agent/usage/processes.h"
#include "node-agent/usage/usage_meter.h"
#include "tests/support/temp_dir.h"

namespace paddock::usage {
namespace {

constexpr const char* kMountsV1 =
    "30 25 0:26 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"
    "31 25 0:27 / /sys/fs/cgroup/cpuacct rw shared:10 - cgroup cgroup rw,cpuacct\n"
    "32 25 0:28 / /sys/fs/cgroup/pids rw shared:11 - cgroup cgroup rw,pids\n";
constexpr const char* kMountsV2 =
    "30 25 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

class Usage : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    const std::string whole = os::join_path(root_.path(), path);
    ASSERT_TRUE(os::make_dirs(os::folder_of(whole)).ok());
    ASSERT_TRUE(os::replace_file(whole, text).ok());
  }
  // Launcher 100 with the sandbox's first process 101, in a cgroup of this name.
  void sandbox(const std::string& mounts, const std::string& cgroups) {
    file("proc/self/mountinfo", mounts);
    file("proc/100/task/100/children", "101 ");
    file("proc/101/task/101/children", "");
    file("proc/101/cgroup", cgroups);
  }
  test::TempDir root_;
};

TEST_F(Usage, IsReadFromTheCgroupThatTheLauncherMade) {
  sandbox(kMountsV1,
          "4:memory:/a/paddock-100-7-9\n3:cpuacct:/paddock-100-7-9\n2:pids:/paddock-100-7-9\n");
  file("sys/fs/cgroup/memory/a/paddock-100-7-9/memory.usage_in_bytes", "5000\n");
  file("sys/fs/cgroup/memory/a/paddock-100-7-9/memory.stat",
       "inactive_file 1\ntotal_inactive_file 2000\n");
  file("sys/fs/cgroup/cpuacct/paddock-100-7-9/cpuacct.usage", "1000000000\n");
  file("sys/fs/cgroup/pids/paddock-100-7-9/pids.current", "4\n");
  const Counters read = RunCounters(root_.path(), 100).read();
  EXPECT_EQ(read.cpu_ns, 1'000'000'000);
  EXPECT_EQ(read.memory, 3000) << "without what the kernel takes back at once";
  EXPECT_EQ(read.tasks, 3) << "without the sandbox's own first process";
}

TEST_F(Usage, IsReadFromTheOneCgroupOfVersion2) {
  sandbox(kMountsV2, "0::/agents/paddock-100-7-9\n");
  file("sys/fs/cgroup/agents/paddock-100-7-9/cpu.stat", "usage_usec 2500\nuser_usec 1\n");
  file("sys/fs/cgroup/agents/paddock-100-7-9/memory.current", "8192\n");
  file("sys/fs/cgroup/agents/paddock-100-7-9/memory.stat", "anon 1\ninactive_file 9000\n");
  file("sys/fs/cgroup/agents/paddock-100-7-9/pids.current", "2\n");
  const Counters read = RunCounters(root_.path(), 100).read();
  EXPECT_EQ(read.cpu_ns, 2'500'000);
  EXPECT_EQ(read.memory, 0) << "never below nothing";
  EXPECT_EQ(read.tasks, 1);
}

TEST_F(Usage, ACgroupThatIsSharedWithOthersIsNotTakenForTheRuns) {
  const CgroupFolders shared =
      folders_of("4:memory:/agent\n3:cpuacct:/paddock-1007-7-9\n2:pids:/\n", kMountsV1, 100);
  EXPECT_EQ(shared.cpu + shared.memory + shared.pids, "");
}

TEST_F(Usage, WithoutACgroupTheProcessesAreSummed) {
  sandbox(kMountsV1, "4:memory:/\n");
  file("proc/101/task/101/children", "102\n");
  file("proc/102/task/102/children", "");
  // The name is what the program calls itself.
  file("proc/101/stat", "101 (x) S 1 1) S 1 1 1 0 -1 0 0 0 0 0 10 5 0 0 20 0 1 0 77 0 3 0");
  file("proc/102/stat", "102 (a b) R 101 1 1 0 -1 0 0 0 0 0 100 50 20 30 20 0 6 0 78 0 10 0");
  const Counters read = RunCounters(root_.path(), 100).read();
  EXPECT_EQ(read.cpu_ns, 215 * (1'000'000'000 / ::sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(read.memory, 13 * ::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(read.tasks, 7);
}

TEST_F(Usage, OfALauncherThatIsGoneNothingIsKnown) {
  file("proc/self/mountinfo", kMountsV1);
  const Counters read = RunCounters(root_.path(), 100).read();
  EXPECT_FALSE(read.cpu_ns || read.memory || read.tasks);
}

TEST_F(Usage, NonsenseInAFileIsNotMeasured) {
  sandbox(kMountsV2, "0::/paddock-100-7-9\n");
  file("sys/fs/cgroup/paddock-100-7-9/cpu.stat", "usage_usec many\n");
  file("sys/fs/cgroup/paddock-100-7-9/memory.current", "max\n");
  EXPECT_EQ(value_after("usage_usec many\n", "usage_usec"), std::nullopt);
  EXPECT_EQ(sums_of("no name here", 100, 4096).tasks, 0);
  EXPECT_EQ(sums_of("1 (cut", 100, 4096).tasks, 0);
}

TEST(CpuRate, IsThousandthsOfACoreBetweenTwoLooks) {
  CpuRate rate;
  EXPECT_EQ(rate.look(1'000'000'000, MonoTime{1000}), std::nullopt) << "the first look";
  EXPECT_EQ(rate.look(3'500'000'000, MonoTime{3000}), 1250);
  EXPECT_EQ(rate.look(3'500'000'000, MonoTime{4000}), 0);
  EXPECT_EQ(rate.look(1, MonoTime{5000}), std::nullopt) << "another counter";
  EXPECT_EQ(rate.look(2, MonoTime{5000}), std::nullopt) << "no time has passed";
  EXPECT_EQ(rate.look(std::nullopt, MonoTime{6000}), std::nullopt);
}

TEST_F(Usage, OfTheHostIsWhatItsKernelCounts) {
  UsageMeter meter(root_.path(), 2);
  file("proc/stat", "cpu  100 0 50 1000 7 0 0 0 0 0\ncpu0 1\n");
  file("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    400 kB\n");
  EXPECT_EQ(meter.measure({}, {}, MonoTime{1000}).node.memory, wire::Quantity{600 * 1024});
  file("proc/stat", "cpu  150 0 100 1000 900 0 0 0 0 0\ncpu0 1\n");
  EXPECT_EQ(meter.measure({}, {}, MonoTime{2000}).node.cpu_milli,
            100 * 1000 / ::sysconf(_SC_CLK_TCK));
  file("proc/stat", "cpu  99150 0 100 1000 900 0 0 0 0 0\ncpu0 1\n");
  EXPECT_EQ(meter.measure({}, {}, MonoTime{3000}).node.cpu_milli, 2000) << "no more than it has";
}

TEST(Accelerators, AreMeasuredTogetherOrNotAtAll) {
  const std::vector<devices::AcceleratorLoad> loads = {{"a", 40, {100}}, {"b", 99, {50}}};
  contracts::Use use;
  add_accelerators({"a", "b"}, loads, use);
  EXPECT_EQ(use.accelerator_milli, 1390);
  EXPECT_EQ(use.accelerator_memory, wire::Quantity{150});
  contracts::Use part, none;
  add_accelerators({"a", "slice"}, loads, part);
  add_accelerators({}, loads, none);
  EXPECT_EQ(part, contracts::Use{});
  EXPECT_EQ(none, contracts::Use{});
}

}  // namespace
}  // namespace paddock::usage
