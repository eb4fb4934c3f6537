#include "node-agent/sandbox/linux/host/covered_proc.h"

#include <sched.h>
#include <sys/mount.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/backend/launch.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMostMountinfo = 16 << 20;

bool covers(const std::string& line) {
  const std::vector<std::string> parts = split(line, ' ');
  return parts.size() > 4 && parts[4].starts_with("/proc/") &&
         parts[4] != "/proc/sys/fs/binfmt_misc";
}

}  // namespace

bool covers_proc(std::string_view mountinfo) {
  const std::vector<std::string> lines = split(mountinfo, '\n');
  return std::ranges::any_of(lines, covers);
}

// Mounts a whole /proc over ours, in a mount namespace of this process. The kernel then sees
// nothing covered that a new /proc would reveal, and allows one. A launcher that may not do this
// gets an error when it launches, which says what would help.
void uncover_proc() {
  const auto mounts = os::read_file("/proc/self/mountinfo", kMostMountinfo);
  if (!mounts.ok() || !covers_proc(*mounts) || unshare(CLONE_NEWNS) != 0) return;
  if (mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return;
  (void)mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
}

}  // namespace paddock::sandbox
