#include "node-agent/sandbox/linux/filesystem/root.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "node-agent/sandbox/linux/filesystem/new_mount.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

constexpr const char* kOwnMounts = "/proc/self/ns/mnt";

}  // namespace

Status make_mounts_private() {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return step_error("making the mounts private", errno);
  return {};
}

Status leave_host() {
  const os::Fd point(open(kCoveredPoint, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!point.valid()) return step_error("opening the place for the empty root", errno);
  ASSIGN_OR_RETURN(const os::Fd nothing,
                   new_file_system("tmpfs", {{"size", "4k"}, {"nr_inodes", "1"}, {"mode", "0555"}},
                                   MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
                                       MOUNT_ATTR_NOEXEC));
  TRY(attach(nothing, point, "the empty root"));
  if (fchdir(nothing.get()) != 0) return step_error("entering the empty root", errno);
  if (raw::pivot_root(".", ".") != 0) return step_error("pivot_root", errno);
  // The old root now lies over the new one: take it away, with everything below it.
  if (umount2(".", MNT_DETACH) != 0) return step_error("detaching the host's root", errno);
  if (chdir("/") != 0) return step_error("entering the empty root", errno);
  return {};
}

Result<EmptyRoot::Visit::Home> EmptyRoot::Visit::here() {
  Home out{os::Fd(open(kOwnMounts, O_RDONLY | O_CLOEXEC)),
           os::Fd(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)),
           os::Fd(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC))};
  if (!out.mounts.valid() || !out.root.valid() || !out.folder.valid())
    return step_error("opening the way back to the host's mounts", errno);
  return out;
}

// Entering a mount namespace makes its root the caller's root and folder.
EmptyRoot::Visit::~Visit() {
  if (!home_.mounts.valid()) return;
  if (setns(home_.mounts.get(), CLONE_NEWNS) != 0 || fchdir(home_.root.get()) != 0 ||
      chroot(".") != 0 || fchdir(home_.folder.get()) != 0)
    _exit(1);
}

Result<EmptyRoot> EmptyRoot::make() {
  ASSIGN_OR_RETURN(Visit::Home home, Visit::here());
  if (unshare(CLONE_NEWNS) != 0) return step_error("making a mount namespace", errno);
  const Visit back(std::move(home));
  os::Fd mounts(open(kOwnMounts, O_RDONLY | O_CLOEXEC));  // before its /proc is gone
  if (!mounts.valid()) return step_error("opening the empty mount namespace", errno);
  TRY(make_mounts_private());
  TRY(leave_host());
  return EmptyRoot(std::move(mounts));
}

Result<EmptyRoot::Visit> EmptyRoot::enter() const {
  ASSIGN_OR_RETURN(Visit::Home home, Visit::here());
  if (setns(mounts_.get(), CLONE_NEWNS) != 0)
    return step_error("entering the empty mount namespace", errno);
  return Visit(std::move(home));
}

Status enter_root(int view) {
  if (fchdir(view) != 0 || chroot(".") != 0) return step_error("entering the new root", errno);
  return {};
}

}  // namespace paddock::sandbox
