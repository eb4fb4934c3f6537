#include "node-agent/sandbox/linux/filesystem/shared_view.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "node-agent/sandbox/plan/program_head.h"

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

// Runs it in a mount namespace of its own, with a folder that is the system's there.
int in_a_system_of_its_own(const std::function<int()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    const bool made = unshare(CLONE_NEWNS) == 0 &&
                      mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                      mount("none", "/opt", "tmpfs", 0, nullptr) == 0;
    _exit(made ? action() : kNoMounts);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

HostFacts host_with_a_tool() {
  HostFacts host;
  host.landlock = landlock_version();
  host.system = {{"/opt", ""}};
  host.standing_tools = {"tool"};
  RequestFacts standing;
  standing.tools = {{.name = "tool",
                     .file = "/opt/tool",
                     .links = {{"/opt/bin/link", "../tool"}},
                     .interpreter = "/opt/lib/loader",
                     .interpreter_on_host = "/opt/lib/loader"}};
  host.standing = std::make_shared<const RequestFacts>(std::move(standing));
  return host;
}

bool write_programs() {
  // Something that can be a loader.
  const auto own = os::read_file("/proc/self/exe", size_t{1} << 30);
  const auto loader = os::read_file(own.ok() ? read_program_head(*own).interpreter : "", 1 << 24);
  return loader.ok() && mkdir("/opt/lib", 0755) == 0 && mkdir("/opt/bin", 0755) == 0 &&
         symlink("../tool", "/opt/bin/link") == 0 &&
         os::write_file_atomic("/opt/tool", "1", 0755).ok() &&
         os::write_file_atomic("/opt/lib/loader", *loader, 0755).ok();
}

// The second wall is bound to the files that were there.
TEST(SharedView, IsNotCurrentOnceAToolItsLinkOrItsLoaderWasReplaced) {
  for (const char* replaced : {"/opt/tool", "/opt/bin/link", "/opt/lib/loader"}) {
    const int came_to = in_a_system_of_its_own([&]() -> int {
      if (!write_programs()) return kNoMounts;
      const auto view = SharedView::make(host_with_a_tool());
      if (!view.ok()) return kNoMounts;
      if (!view->is_current() || !view->landlock()) return kSeenTooEarly;
      if (!os::write_file_atomic(replaced, "2", 0755).ok()) return kNoMounts;
      return view->is_current() ? kNotSeen : kAllGood;
    });
    if (came_to == kNoMounts) GTEST_SKIP() << "this process cannot make views";
    EXPECT_EQ(came_to, kAllGood) << replaced;
  }
}

TEST(SharedView, IsThereUntilAStandingToolThatWasAbsentIs) {
  const int came_to = in_a_system_of_its_own([]() -> int {
    HostFacts host = host_with_a_tool();
    if (!write_programs() || !SharedView::make(host).ok()) return kNoMounts;
    RequestFacts standing = *host.standing;
    standing.tools.push_back({.name = "absent"});
    standing.program_folders = {"/opt/bin"};
    host.standing = std::make_shared<const RequestFacts>(std::move(standing));
    const auto view = SharedView::make(host);
    if (!view.ok() || view->landlock() || !view->is_current()) return kSeenTooEarly;
    if (!os::write_file_atomic("/opt/bin/absent", "1", 0755).ok()) return kNoMounts;
    return view->is_current() ? kNotSeen : kAllGood;
  });
  if (came_to == kNoMounts) GTEST_SKIP() << "this process cannot make views";
  EXPECT_EQ(came_to, kAllGood);
}

// Each device as a mount of its own, as some containers have them.
bool mount_each_device() {
  for (const std::string name : {"null", "zero", "full", "random", "urandom"}) {
    const std::string file = "/opt/" + name;
    if (!os::write_file_atomic(file, "", 0644).ok() ||
        mount(("/dev/" + name).c_str(), file.c_str(), nullptr, MS_BIND, nullptr) != 0)
      return false;
  }
  return mount("/opt", "/dev", nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

TEST(SharedView, ShowsDevicesWhereEachIsAMountToo) {
  for (const bool each : {false, true}) {
    const int came_to = in_a_system_of_its_own([&]() -> int {
      if (!write_programs() || (each && !mount_each_device())) return kNoMounts;
      const auto view = SharedView::make(host_with_a_tool());
      if (!view.ok()) return each ? kNotSeen : kNoMounts;
      const auto devices = view->copy_of("/dev");
      if (!devices.ok()) return kNotSeen;
      const os::Fd null(openat(devices->get(), "null", O_RDWR | O_CLOEXEC));
      struct stat info {};
      return fstat(null.get(), &info) == 0 && S_ISCHR(info.st_mode) ? kAllGood : kNotSeen;
    });
    if (came_to == kNoMounts) GTEST_SKIP() << "this process cannot make views";
    EXPECT_EQ(came_to, kAllGood) << each;
  }
}

TEST(SharedView, WithoutAWatchEverythingMayHaveChanged) {
  EXPECT_TRUE(mounts_have_changed(os::Fd()));
}

}  // namespace
}  // namespace paddock::sandbox
