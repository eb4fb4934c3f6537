#include "node-agent/sandbox/linux/selftest/canary_bait.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::sandbox {
namespace {

constexpr const char* kTakesNoFile = "1m,nr_inodes=1";

TEST(CanaryBait, LiesInMemoryWhereTheFolderForTemporaryFilesIsFull) {
  const test::TempDir folder;
  const std::string said = test::in_child([&]() -> std::string {
    if (!test::mount_disk(folder.path(), kTakesNoFile)) return test::kNoMounts;
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    const auto bait = CanaryBait::lay();
    return bait ? os::folder_of(os::folder_of(bait->host_file())) : bait.error().describe();
  });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, "/dev/shm");
}

TEST(CanaryBait, NamesTheFolderWhereThereIsNoRoomAtAll) {
  const test::TempDir folder;
  const std::string said = test::in_child([&]() -> std::string {
    if (!test::mount_disk(folder.path(), kTakesNoFile) ||
        ::mount("tmpfs", "/dev/shm", "tmpfs", 0, cat("size=", kTakesNoFile).c_str()) != 0)
      return test::kNoMounts;
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    const auto bait = CanaryBait::lay();
    return bait ? "laid" : cat(bait.error().reason, " ", bait.error().message);
  });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_TRUE(said.starts_with("DISK_FULL ")) << said;
  EXPECT_NE(said.find(cat("free space in ", folder.path(), ", or set TMPDIR")), std::string::npos)
      << said;
}

}  // namespace
}  // namespace paddock::sandbox
