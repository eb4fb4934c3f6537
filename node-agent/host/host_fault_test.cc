#include "node-agent/host/host_fault.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

constexpr WallTime kNow{1'750'000'000'000};
const Error kReadOnly{Code::kUnavailable, contracts::kDiskReadOnly, "it is read-only"};

TEST(HostFault, IsAConditionThatComesWithItsCauseAndGoesByItself) {
  contracts::NodeStatus status;
  tell_fault(status, std::nullopt, kNow);
  EXPECT_TRUE(status.conditions.empty());
  tell_fault(status, kReadOnly, kNow);
  ASSERT_NE(contracts::unfit(status), nullptr);
  EXPECT_EQ(contracts::unfit(status)->type, "HostFault");
  EXPECT_EQ(contracts::unfit(status)->reason, "NODE_DISK_READ_ONLY");
  tell_fault(status, kReadOnly, kNow + Millis(5'000));
  EXPECT_EQ(contracts::unfit(status)->last_transition_time->value, kNow) << "since when it is so";
  tell_fault(status, std::nullopt, kNow);
  EXPECT_EQ(contracts::unfit(status), nullptr);
}

TEST(HostFault, ALauncherThatIsGoneIsOne) {
  const test::TempDir folder;
  const std::string launcher = folder / "paddock-sandbox";
  EXPECT_EQ(look_for_fault(folder.path(), launcher)->reason, contracts::kLauncherGone);
  ASSERT_TRUE(os::replace_file(launcher, "x").ok());
  EXPECT_EQ(look_for_fault(folder.path(), launcher)->reason, contracts::kLauncherGone);
  ASSERT_EQ(::chmod(launcher.c_str(), 0755), 0);
  EXPECT_FALSE(look_for_fault(folder.path(), launcher));
}

TEST(HostFault, ADataFolderThatIsGoneIsOne) {
  const test::TempDir folder;
  const auto fault = look_for_fault(folder / "gone", "/bin/sh");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->reason, "DATA_FOLDER_UNWRITABLE");
  EXPECT_EQ(fault->message.find(folder.path()), std::string::npos) << "no path of the host";
}

}  // namespace
}  // namespace paddock::agent
