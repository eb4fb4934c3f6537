// The parts of the host that a sandbox shows, opened and copied as detached mounts.
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/mounts.h"
#include "node-agent/sandbox/linux/raw.h"

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

// Identifies what is mounted by its place inside: the host's path stays out of messages.
std::string step(const char* doing, const MountEntry& entry) {
  return cat(doing, " for ", entry.target);
}

Result<os::Fd> open_source(const MountEntry& entry) {
  // What only this launcher names may lie below a link of the host's own, such as /var/run; the
  // last part of a request's path never is one, so that whoever can write beside it gains nothing.
  const bool by_policy = !entry.field.empty() || entry.kind == Kind::kDevice;
  const bool last_only = entry.kind == Kind::kBind && !by_policy;
  os::Fd source(raw::openat2(AT_FDCWD, entry.source.c_str(),
                             O_PATH | O_CLOEXEC | (last_only ? O_NOFOLLOW : 0),
                             by_policy ? RESOLVE_NO_SYMLINKS : RESOLVE_NO_MAGICLINKS));
  if (!source.valid() && errno == ELOOP && by_policy) {
    return step_error(
        cat(entry.field.empty() ? entry.target : entry.field, ": a symbolic link is on the way"),
        ELOOP, "name the folder itself");
  }
  if (!source.valid()) return step_error(step("opening the source", entry), errno);
  struct stat info {};
  if (fstat(source.get(), &info) != 0)
    return step_error(step("inspecting the source", entry), errno);
  const bool fits = entry.kind == Kind::kDevice ? S_ISCHR(info.st_mode)
                                                : S_ISDIR(info.st_mode) || S_ISREG(info.st_mode);
  if (!fits)
    return step_error(step("the source is not of a kind that can be mounted", entry), EINVAL);
  return source;
}

// Whether the command, as the plan's host id, needs the owner of this folder mapped to itself.
Result<bool> map_owner(const os::Fd& source, const os::Fd& mount, const MountEntry& entry,
                       const SandboxPlan& plan) {
  struct stat info {};
  if (fstat(source.get(), &info) != 0)
    return step_error(step("inspecting the source", entry), errno);
  if (info.st_uid == plan.host_uid && info.st_gid == plan.host_gid) return false;
  ASSIGN_OR_RETURN(const os::Fd space, make_mapping_namespace({info.st_uid, info.st_gid,
                                                               plan.host_uid, plan.host_gid}));
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_IDMAP;
  attributes.userns_fd = static_cast<__u64>(space.get());
  if (mount_setattr(mount.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                    sizeof attributes) == 0)
    return true;
  // Without it a read-only mount is as readable as its modes say; a writable one must be the
  // command's.
  if (!entry.writable || info.st_uid == plan.host_uid) return false;
  return step_error(
      step("mapping the owner", entry), errno,
      cat("this file system cannot map ids: let uid ", plan.host_uid, " own the folder"));
}

Result<os::Fd> copy_mount(const os::Fd& source, const MountEntry& entry) {
  os::Fd mount(open_tree(source.get(), "",
                         OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE));
  if (!mount.valid()) return step_error(step("copying the mount", entry), errno);
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_NOSUID;
  attributes.attr_set |=
      entry.kind == Kind::kDevice ? uint64_t{MOUNT_ATTR_NOEXEC} : uint64_t{MOUNT_ATTR_NODEV};
  if (!entry.writable) attributes.attr_set |= MOUNT_ATTR_RDONLY;
  if (entry.no_programs) attributes.attr_set |= MOUNT_ATTR_NOEXEC;
  attributes.propagation = MS_PRIVATE;
  if (mount_setattr(mount.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                    sizeof attributes) != 0) {
    return step_error(step("restricting the mount", entry), errno, "Linux 5.12 or later is needed");
  }
  return mount;
}

bool is_every_runs(const MountEntry& entry) {
  return (entry.kind == Kind::kSystem || entry.kind == Kind::kDevice) && entry.field.empty() &&
         !entry.writable;
}

// Invalid if there is none, or if the host shows something else there by now.
os::Fd take_prepared(PreparedSources& prepared, const MountEntry& entry) {
  if (!is_every_runs(entry)) return {};
  for (PreparedSource& one : prepared) {
    if (one.entry.source != entry.source || one.entry.kind != entry.kind ||
        one.entry.no_programs != entry.no_programs)
      continue;
    struct stat now {};
    if (stat(entry.source.c_str(), &now) != 0 || now.st_dev != one.device ||
        now.st_ino != one.inode)
      return {};
    return std::move(one.mount);
  }
  return {};
}

}  // namespace

Result<PreparedSources> prepare_sources(const std::vector<MountEntry>& table) {
  PreparedSources out;
  for (const MountEntry& entry : table) {
    if (!is_every_runs(entry)) continue;
    ASSIGN_OR_RETURN(const os::Fd source, open_source(entry));
    struct stat info {};
    if (fstat(source.get(), &info) != 0)
      return step_error(step("inspecting the source", entry), errno);
    ASSIGN_OR_RETURN(os::Fd mount, copy_mount(source, entry));
    out.push_back({entry, info.st_dev, info.st_ino, std::move(mount)});
  }
  return out;
}

Result<std::vector<os::Fd>> open_sources(const SandboxPlan& plan, PreparedSources prepared) {
  std::vector<os::Fd> out;
  for (const MountEntry& entry : plan.mounts) {
    out.push_back(take_prepared(prepared, entry));
    if (out.back().valid()) continue;
    if (entry.kind != Kind::kSystem && entry.kind != Kind::kDevice && entry.kind != Kind::kBind)
      continue;
    ASSIGN_OR_RETURN(const os::Fd source, open_source(entry));
    ASSIGN_OR_RETURN(out.back(), copy_mount(source, entry));
    if (plan.privileged && entry.kind == Kind::kBind)
      TRY(map_owner(source, out.back(), entry, plan));
  }
  return out;
}

}  // namespace paddock::sandbox
