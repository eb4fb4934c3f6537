#include "node-agent/devices/host_size.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "tests/support/temp_dir.h"

namespace paddock::devices {
namespace {

// A host of four processors and 8 GiB, and the agent's share of it.
class OwnShare : public testing::Test {
 protected:
  OwnShare() {
    put("proc/stat", "cpu  1\ncpu0 1\ncpu1 1\ncpu2 1\ncpu3 1\nintr 5\n");
    put("proc/meminfo", "MemTotal:        8388608 kB\n");
  }
  void put(const std::string& path, const std::string& text) { dir_.write(path, text); }
  const std::string& root() const { return dir_.path(); }

 private:
  test::TempDir dir_;
};

TEST_F(OwnShare, IsTheWholeHostWhereNothingSaysLess) {
  EXPECT_EQ(cpu_count(root()), 4);
  EXPECT_EQ(memory_bytes(root()), int64_t{8} << 30);
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/memory.max", "max\n");
  put("proc/self/status", "Cpus_allowed_list:\t0-3\n");
  EXPECT_EQ(cpu_count(root()), 4);
  EXPECT_EQ(memory_bytes(root()), int64_t{8} << 30);
}

TEST_F(OwnShare, ProcessorsAreThoseThatItMayUse) {
  put("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0,2-3\n");
  EXPECT_EQ(cpu_count(root()), 3);
  for (const char* nonsense : {"", "3-1", "a", "0-"}) {
    put("proc/self/status", cat("Cpus_allowed_list:\t", nonsense, "\n"));
    EXPECT_EQ(cpu_count(root()), 4) << nonsense;
  }
}

TEST_F(OwnShare, MemoryIsTheLeastOfItsCgroupsVersion2) {
  put("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  put("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
  put("sys/fs/cgroup/slurm/job_7/memory.max", "1073741824\n");
  put("sys/fs/cgroup/slurm/memory.max", "2147483648\n");
  EXPECT_EQ(memory_bytes(root()), int64_t{1} << 30);
}

TEST_F(OwnShare, MemoryIsTheLeastOfItsCgroupsVersion1) {
  put("proc/self/cgroup", "9:cpu,cpuacct:/a\n4:memory:/not/seen/here\n0::/\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
  EXPECT_EQ(memory_bytes(root()), int64_t{512} << 20);
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_bytes(root()), int64_t{8} << 30);
}

}  // namespace
}  // namespace paddock::devices
