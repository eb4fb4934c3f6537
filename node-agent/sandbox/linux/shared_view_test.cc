#include "node-agent/sandbox/linux/shared_view.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

enum Verdict { kAllGood, kNoMounts, kSeenTooEarly, kNotSeen, kSeenTwice };

// In a mount namespace of its own.
Verdict watch_a_mount_come_and_go() {
  if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return kNoMounts;
  const os::Fd watch = watch_mounts();
  const os::Fd other = watch_mounts();
  if (mounts_have_changed(watch)) return kSeenTooEarly;
  if (mount("none", "/tmp", "tmpfs", 0, nullptr) != 0) return kNoMounts;
  if (!mounts_have_changed(watch) || !mounts_have_changed(other)) return kNotSeen;
  if (mounts_have_changed(watch)) return kSeenTwice;
  if (umount("/tmp") != 0) return kNoMounts;
  return mounts_have_changed(watch) ? kAllGood : kNotSeen;
}

TEST(SharedView, LearnsOfEveryMountAndUnmount) {
  const pid_t child = fork();
  if (child == 0) _exit(watch_a_mount_come_and_go());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoMounts) GTEST_SKIP() << "this process may not mount anything";
  EXPECT_EQ(WEXITSTATUS(status), kAllGood);
}

TEST(SharedView, WithoutAWatchEverythingMayHaveChanged) {
  EXPECT_TRUE(mounts_have_changed(os::Fd()));
}

}  // namespace
}  // namespace paddock::sandbox
