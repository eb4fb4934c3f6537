#include "node-agent/sandbox/linux/cgroup/cgroup_facts.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

TEST(CgroupFacts, FindsEachHierarchyOfV1) {
  const CgroupFacts facts = read_cgroup_facts(
      "8:pids:/\n4:memory:/agent/x\n2:cpu,cpuacct:/\n0::/\n",
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
      "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(facts.version, CgroupFacts::Version::kV1);
  EXPECT_EQ(facts.memory, "/sys/fs/cgroup/memory/agent/x");
  EXPECT_EQ(facts.pids, "/sys/fs/cgroup/pids");
  EXPECT_EQ(facts.cpu, "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(facts.bandwidth, facts.cpu);
}

TEST(CgroupFacts, TellsAHierarchyThatBoundsProcessorsFromOneThatCounts) {
  const CgroupFacts facts =
      read_cgroup_facts("2:cpuacct:/agent\n1:cpu:/other\n",
                        "33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n"
                        "34 31 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  EXPECT_EQ(facts.cpu, "/sys/fs/cgroup/cpuacct/agent");
  EXPECT_EQ(facts.bandwidth, "/sys/fs/cgroup/cpu/other");
}

TEST(CgroupFacts, MakesFoldersBesideItsOwnInV2) {
  const std::string mounts = "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n";
  const CgroupFacts service = read_cgroup_facts("0::/system.slice/agent.service/main\n", mounts);
  EXPECT_EQ(service.version, CgroupFacts::Version::kV2);
  EXPECT_EQ(service.memory, "/sys/fs/cgroup/system.slice/agent.service");
  EXPECT_EQ(read_cgroup_facts("0::/\n", mounts).memory, "/sys/fs/cgroup");
  EXPECT_EQ(read_cgroup_facts("0::/one\n", mounts).memory, "/sys/fs/cgroup");
}

TEST(CgroupFacts, UsesNothingOutsideItsOwnNamespace) {
  EXPECT_EQ(
      read_cgroup_facts("0::/../../x\n", "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
          .memory,
      "");
  EXPECT_EQ(read_cgroup_facts("", "").version, CgroupFacts::Version::kNone);
  EXPECT_EQ(read_cgroup_facts("garbage", "garbage line").version, CgroupFacts::Version::kNone);
}

TEST(CgroupFacts, TakesTheMountThatShowsItsOwnFolder) {
  const std::string mounts =
      "41 31 0:38 /a /mnt/a rw - cgroup2 cgroup2 rw\n"
      "42 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(read_cgroup_facts("0::/ab/main\n", mounts).memory, "/sys/fs/cgroup/ab");
  EXPECT_EQ(read_cgroup_facts("0::/a/b/main\n", mounts).memory, "/mnt/a/b");
}

TEST(CgroupFacts, SayWhyThereIsNone) {
  const CgroupFacts none = usable_cgroups(read_cgroup_facts("0::/\n", ""));
  EXPECT_NE(none.why_not, "");
  CgroupFacts missing = read_cgroup_facts("0::/x\n", "41 31 0:38 / /nowhere rw - cgroup2 c rw\n");
  missing = usable_cgroups(missing);
  EXPECT_EQ(missing.memory, "");
  EXPECT_EQ(missing.cpu, "");
  EXPECT_EQ(missing.bandwidth, "");
  EXPECT_NE(missing.why_not, "");
}

}  // namespace
}  // namespace paddock::sandbox
