#include "node-agent/sandbox/linux/filesystem/root.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/filesystem/new_mount.h"

namespace paddock::sandbox {
namespace {

enum Found { kHolds, kMayNot, kNotEmpty, kWritable, kNotHome, kForeign };

int in_a_process_of_its_own(const std::function<int()>& action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool root_is_empty() {
  DIR* root = opendir("/");
  if (root == nullptr) return false;
  bool empty = true;
  for (const dirent* entry = readdir(root); entry != nullptr; entry = readdir(root))
    empty = empty && entry->d_name[0] == '.';
  closedir(root);
  return empty;
}

struct Place {
  struct stat root {};
  struct stat folder {};
  static Place here() {
    Place out;
    (void)stat("/", &out.root);
    (void)stat(".", &out.folder);
    return out;
  }
  bool operator==(const Place& other) const {
    return root.st_dev == other.root.st_dev && root.st_ino == other.root.st_ino &&
           folder.st_dev == other.folder.st_dev && folder.st_ino == other.folder.st_ino;
  }
};

TEST(EmptyRoot, HoldsNothingOfTheHostAndIsLeftForWhereTheCallerWas) {
  const int came_to = in_a_process_of_its_own([]() -> int {
    if (chdir("/tmp") != 0) return kMayNot;
    const Place home = Place::here();
    const auto made = EmptyRoot::make();
    if (!made.ok()) return kMayNot;
    if (!(Place::here() == home)) return kNotHome;
    {
      const auto visit = made->enter();
      if (!visit.ok()) return kMayNot;
      if (!root_is_empty()) return kNotEmpty;
      if (mkdir("/x", 0700) == 0 || errno != EROFS) return kWritable;
    }
    return Place::here() == home && access("/proc/self", F_OK) == 0 ? kHolds : kNotHome;
  });
  if (came_to == kMayNot) GTEST_SKIP() << "this process may not enter a mount namespace";
  EXPECT_EQ(came_to, kHolds);
}

TEST(NewProc, OfOthersShowsTheirProcessesAndNotOurs) {
  if (!kernel_makes_proc_of_others()) GTEST_SKIP() << "Linux 6.18 is needed";
  const int came_to = in_a_process_of_its_own([]() -> int {
    if (unshare(CLONE_NEWPID) != 0) return kMayNot;
    const pid_t first = fork();
    if (first == 0) {
      pause();
      _exit(0);
    }
    const auto proc = new_proc_of(first);
    const std::string own = cat(getpid());
    const bool shows = proc.ok() && faccessat(proc->get(), "1/stat", F_OK, 0) == 0;
    const bool foreign = proc.ok() && faccessat(proc->get(), own.c_str(), F_OK, 0) == 0;
    kill(first, SIGKILL);
    waitpid(first, nullptr, 0);
    if (!proc.ok()) return kMayNot;
    return shows && !foreign ? kHolds : kForeign;
  });
  if (came_to == kMayNot) GTEST_SKIP() << "this process may not mount a /proc";
  EXPECT_EQ(came_to, kHolds);
}

}  // namespace
}  // namespace paddock::sandbox
