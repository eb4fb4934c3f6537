#include "node-agent/sandbox/plan/proc_covers.h"

#include <memory>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::ElementsAre;

MachineShare share_of(std::vector<int> processors, int64_t memory, int64_t pids,
                      std::string mounts) {
  auto machine = std::make_shared<MachineFacts>();
  machine->processors = {0, 1, 2, 3};
  machine->memory_bytes = int64_t{64} << 30;
  machine->settings = {{"vm/overcommit_memory", "0"}};
  return {machine, std::move(processors), memory, pids, std::move(mounts)};
}

TEST(ProcCovers, AreNamesOfProcItselfFirst) {
  EXPECT_THAT(proc_covers({{"sys/kernel/threads-max", "1"},
                           {"sys/kernel/ostype", "2"},
                           {"stat", "3"},
                           {"sys/cpu/online", "4"},
                           {"sys/cpu/cpu0", "", ProcFile::Kind::kFolder}}),
              ElementsAre("sys", "stat", "sys/kernel/threads-max", "sys/cpu"));
  EXPECT_EQ(proc_cover("sys/kernel/threads-max2"), "sys");
}

// What is made once for all runs must tell of none of them.
TEST(ProcCovers, ThatAreNotOfOneRunAreTheSameForRunsThatDifferInEverythingButProcessors) {
  const auto one = proc_files(share_of({0, 1}, 1 << 20, 10, "a"), {10.5, 5000, "one"});
  const auto other = proc_files(share_of({0, 1}, 2 << 20, 20, "b"), {99.25, 6000, "other"});
  int shared = 0;
  for (const std::string& cover : proc_covers(one)) {
    EXPECT_EQ(differs(cover, one, other), is_of_one_run(cover)) << cover;
    shared += is_of_one_run(cover) ? 0 : 1;
  }
  EXPECT_GT(shared, 5);
}

TEST(ProcCovers, OfProcessorsDifferWithThem) {
  const auto all = proc_files(share_of({0, 1}, 1, 1, ""), {});
  for (const auto& processors : std::vector<std::vector<int>>{{0}, {0, 1, 2}, {0, 2}}) {
    const auto some = proc_files(share_of(processors, 1, 1, ""), {});
    EXPECT_TRUE(differs("sys/cpu", some, all));
    EXPECT_TRUE(differs("cpuinfo", some, all));
    EXPECT_FALSE(differs("sys", some, all));
  }
}

}  // namespace
}  // namespace paddock::sandbox
