#include "node-agent/host/host_fault.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/os/fd.h"
#include "common/os/file.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

constexpr WallTime kNow{1'750'000'000'000};
const Error kReadOnly{Code::kUnavailable, contracts::kDiskReadOnly, "it is read-only"};

bool opens(const std::string& path) {
  return os::Fd(::open(path.c_str(), O_RDWR | O_CLOEXEC)).valid();
}

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

TEST(HostFault, ADiskThatKeepsALookWaitingIsOneUntilItAnswers) {
  ManualClock clock;
  std::function<void()> meanwhile = [] {};
  HostTrial trial(
      [&] {
        meanwhile();
        return std::optional<Error>();
      },
      clock);
  EXPECT_FALSE(trial.stall()) << "nobody looks";
  std::optional<Error> soon, late;
  meanwhile = [&] {
    clock.advance(Millis(1'000));
    soon = trial.stall();
    clock.advance(Millis(9'000));
    late = trial.stall();
  };
  const auto slow = trial.look();
  ASSERT_TRUE(slow) << "until one is quick again";
  EXPECT_EQ(slow->reason, contracts::kDiskStalled);
  EXPECT_NE(slow->message.find("took 10 seconds"), std::string::npos) << slow->message;
  EXPECT_FALSE(soon);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->reason, contracts::kDiskStalled);
  EXPECT_FALSE(trial.stall()) << "it has answered";
  meanwhile = [&] { clock.advance(Millis(4'000)); };
  EXPECT_FALSE(trial.look());
}

// /dev/null takes every byte, and has none of them.
TEST(HostFault, ADiskThatDoesNotKeepWhatItTakesIsOne) {
  const test::TempDir folder;
  EXPECT_FALSE(look_for_fault(folder.path(), "/bin/sh"));
  const std::string touched = folder / "touched";
  ASSERT_EQ(::unlink(touched.c_str()), 0);
  if (::mknod(touched.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0 || !opens(touched))
    GTEST_SKIP() << "no device files here";
  ASSERT_TRUE(look_for_fault(folder.path(), "/bin/sh"));
  EXPECT_EQ(look_for_fault(folder.path(), "/bin/sh")->reason, "DATA_FOLDER_UNWRITABLE");
}

}  // namespace
}  // namespace paddock::agent
