#include "node-agent/sandbox/plan/proc_contents.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two packages of two cores with two threads each, as x86 tells of them.
std::string host_cpuinfo() {
  std::string out;
  for (int i = 0; i < 8; ++i) {
    out += cat("processor\t: ", i,
               "\nmodel name\t: Example: 2 GHz\nmicrocode\t: 0xb0\nphysical id\t: ", i / 4,
               "\nsiblings\t: 4\ncore id\t\t: ", i / 2 % 2,
               "\ncpu cores\t: 2\nflags\t\t: fpu avx2\nbugs\t\t: spectre_v1\n\n");
  }
  return out + "Hardware\t: Board of 8\nSerial\t\t: 1234567890\n";
}

MachineShare share_of(std::vector<int> processors) {
  auto machine = std::make_shared<MachineFacts>();
  machine->processors = {0, 1, 2, 3, 4, 5, 6, 7};
  machine->cpuinfo = split_cpuinfo(host_cpuinfo());
  machine->memory_bytes = int64_t{64} << 30;
  machine->settings = {{"vm/overcommit_memory", "0"}};
  return {machine, std::move(processors), int64_t{512} << 20, 32};
}

std::string file(const MachineShare& share, std::string_view path) {
  const auto files = proc_files(share, {100.5, 5000, "an-id"});
  const auto found = std::ranges::find(files, path, &ProcFile::path);
  return found == files.end() ? "absent" : found->content;
}

TEST(MachineFacts, TellOfTheShareAndOfNothingElseOfTheHost) {
  const MachineShare share = share_of({2, 3, 5});
  EXPECT_EQ(file(share, "cpuinfo"),
            "processor\t: 2\nmodel name\t: Example: 2 GHz\nphysical id\t: 0\nsiblings\t: 2\n"
            "core id\t\t: 1\ncpu cores\t: 1\nflags\t\t: fpu avx2\n\n"
            "processor\t: 3\nmodel name\t: Example: 2 GHz\nphysical id\t: 0\nsiblings\t: 2\n"
            "core id\t\t: 1\ncpu cores\t: 1\nflags\t\t: fpu avx2\n\n"
            "processor\t: 5\nmodel name\t: Example: 2 GHz\nphysical id\t: 1\nsiblings\t: 1\n"
            "core id\t\t: 0\ncpu cores\t: 1\nflags\t\t: fpu avx2\n\n");
  EXPECT_THAT(file(share, "meminfo"), HasSubstr("MemTotal: 524288 kB\n"));
  EXPECT_THAT(file(share, "stat"), HasSubstr("cpu5 0 0"));
  EXPECT_THAT(file(share, "stat"), Not(HasSubstr("cpu0 ")));
  EXPECT_EQ(file(share, "sys/kernel/hostname"), "sandbox\n");
  EXPECT_EQ(file(share, "sys/kernel/random/boot_id"), "an-id\n");
  EXPECT_EQ(file(share, "sys/kernel/threads-max"), "32\n");
  EXPECT_EQ(file(share, "sys/vm/overcommit_memory"), "0\n");
  EXPECT_EQ(file(share, "sys/cpu/online"), "2-3,5\n");
  EXPECT_EQ(file(share, "sys/cpu/cpu5"), "");
  EXPECT_EQ(file(share, "sys/cpu/cpu0"), "absent");
}

// What the clocks tell: ps and psutil make dates and ages of their own processes from it.
TEST(MachineFacts, TellTheTimesThatTheClocksTell) {
  EXPECT_EQ(file(share_of({0}), "uptime"), "100.50 0.00\n");
  EXPECT_THAT(file(share_of({0}), "stat"), HasSubstr("\nbtime 4900\n"));
}

TEST(MachineFacts, OfMoreMemoryThanThereIsAreWhatThereIs) {
  MachineShare share = share_of({0});
  share.memory_bytes = int64_t{128} << 30;
  EXPECT_THAT(file(share, "meminfo"), HasSubstr(cat("MemTotal: ", 64 << 20, " kB\n")));
}

// This is for a kernel that writes /proc/cpuinfo in another way, or not at all.
TEST(MachineFacts, NameEachProcessorWhereNothingElseIsKnown) {
  MachineShare share;
  share.processors = {0, 4};
  EXPECT_EQ(file(share, "cpuinfo"), "processor\t: 0\n\nprocessor\t: 4\n\n");
  EXPECT_TRUE(split_cpuinfo("").empty());
  EXPECT_TRUE(split_cpuinfo("vendor: IBM\n# processors: 2\nprocessor 0: version = FF\n").empty());
  EXPECT_TRUE(split_cpuinfo("processor\t: many\nflags: a\n").empty());
}

TEST(Processors, AreAsManyAsTheAllotmentAndHalfOfTheTasks) {
  const MachineFacts machine = *share_of({}).machine;
  contracts::LaunchRequest request;
  EXPECT_EQ(choose_processors(machine, request, 5), machine.processors);
  request.policy.limits.pids = 8;
  EXPECT_EQ(choose_processors(machine, request, 5), (std::vector<int>{0, 5, 6, 7}));
  request.cpus = 2;
  EXPECT_EQ(choose_processors(machine, request, 15), (std::vector<int>{0, 7}));
  request.policy.limits.pids = 1;
  EXPECT_EQ(choose_processors(machine, request, 0), (std::vector<int>{0}));
  request = {};
  request.cpus = 100;
  EXPECT_EQ(choose_processors(machine, request, 3), machine.processors);
  EXPECT_TRUE(choose_processors({}, request, 3).empty());
}

TEST(Processors, AreThoseOfTheRequestWhereThisLauncherHasThem) {
  const MachineFacts machine = *share_of({}).machine;
  contracts::LaunchRequest request;
  request.cpus = 2;
  request.processors = {6, 6, 4, 2};
  EXPECT_EQ(choose_processors(machine, request, 0), (std::vector<int>{4, 6}));
  request.processors = {99, -1, 6};
  EXPECT_EQ(choose_processors(machine, request, 0), (std::vector<int>{0, 6}));
}

TEST(Processors, AreListedAsTheKernelDoes) {
  EXPECT_EQ(processor_list({}), "");
  EXPECT_EQ(processor_list({3}), "3");
  EXPECT_EQ(processor_list({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

}  // namespace
}  // namespace paddock::sandbox
