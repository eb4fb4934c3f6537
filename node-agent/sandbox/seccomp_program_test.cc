#include "node-agent/sandbox/seccomp_program.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

TEST(SeccompProgram, RendersTheWholeTable) {
  const auto filters = render_filters();
  ASSERT_TRUE(filters.ok()) << filters.error().describe();
  EXPECT_GT(filters->base.size(), base_table().size());
  EXPECT_GT(filters->launch.size(), launch_table().size());
  EXPECT_LE(filters->base.size() + filters->launch.size(), 4096u);  // the kernel's bound
}

TEST(SeccompProgram, RefusesATableWithAnUnknownCall) {
  const SyscallRule rules[] = {{"no_such_call", SyscallAction::kRefuse, "test"}};
  EXPECT_FALSE(render_seccomp(rules).ok());
}

// The families that the table leaves are AF_UNIX, AF_INET and AF_INET6, whatever the upper bits
// are.
TEST(SyscallTable, LeavesThreeSocketFamilies) {
  std::vector<uint64_t> left;
  for (uint64_t family = 1; family < 64; ++family) {
    bool refused = false;
    for (const SyscallRule& rule : launch_table()) {
      if (rule.syscall == "socket" && (family & rule.first.mask) == rule.first.value)
        refused = true;
    }
    if (!refused) left.push_back(family);
  }
  EXPECT_EQ(left, (std::vector<uint64_t>{1, 2, 10}));
}

}  // namespace
}  // namespace paddock::sandbox
