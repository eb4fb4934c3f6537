// What a command can do with files: two walls, mounts of the host, quotas, tools, devices.
#include <sys/stat.h>
#include <unistd.h>

#include "common/os/file.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::EnforcementLevel;

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

}  // namespace
}  // namespace paddock::adversarial
