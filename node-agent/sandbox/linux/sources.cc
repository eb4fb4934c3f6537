#include "node-agent/sandbox/linux/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/overlay.h"
#include "node-agent/sandbox/linux/raw.h"
#include "node-agent/sandbox/linux/user_namespace.h"

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

// Identifies what is mounted by its place inside: the host's path stays out of messages.
std::string step(const char* doing, const MountEntry& entry) {
  return cat(doing, " for ", entry.target);
}

Result<os::Fd> open_host_path(const MountEntry& entry) {
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

// The command reaches what the folder's owner owns as its own.
Status map_owner(const os::Fd& source, const os::Fd& mount, const MountEntry& entry,
                 const HostIdentity& identity) {
  struct stat info {};
  if (fstat(source.get(), &info) != 0)
    return step_error(step("inspecting the source", entry), errno);
  if (info.st_uid == identity.uid && info.st_gid == identity.gid) return {};
  os::Fd own;
  if (identity.root_mapping < 0 || info.st_uid != 0 || info.st_gid != 0) {
    ASSIGN_OR_RETURN(
        own, make_mapping_namespace({info.st_uid, info.st_gid, identity.uid, identity.gid}));
  }
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_IDMAP;
  attributes.userns_fd = static_cast<__u64>(own.valid() ? own.get() : identity.root_mapping);
  if (mount_setattr(mount.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                    sizeof attributes) == 0)
    return {};
  // Without it a read-only mount is as readable as its modes say; a writable one must be the
  // command's.
  if (!entry.writable || info.st_uid == identity.uid) return {};
  return step_error(
      step("mapping the owner", entry), errno,
      cat("this file system cannot map ids: let uid ", identity.uid, " own the folder"));
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

// Its folders are named by the agent alone, and of its own making. Owners are not mapped in layers:
// what the command is to change belongs to it already.
Result<os::Fd> open_layers(const MountEntry& entry) {
  auto mount = os::mount_layers({entry.lower, entry.source, entry.work});
  if (!mount.ok()) return std::move(mount).error().within(step("layers", entry));
  return mount;
}

}  // namespace

HostIdentity host_identity(const SandboxPlan& plan) {
  return {plan.privileged, plan.host_uid, plan.host_gid};
}

Result<os::Fd> open_source(const MountEntry& entry, const HostIdentity& identity) {
  if (entry.kind != Kind::kSystem && entry.kind != Kind::kDevice && entry.kind != Kind::kBind)
    return os::Fd();
  if (!entry.lower.empty()) return open_layers(entry);
  ASSIGN_OR_RETURN(const os::Fd source, open_host_path(entry));
  ASSIGN_OR_RETURN(os::Fd mount, copy_mount(source, entry));
  if (identity.privileged && entry.kind == Kind::kBind)
    TRY(map_owner(source, mount, entry, identity));
  return mount;
}

Result<std::vector<os::Fd>> open_sources(const std::vector<MountEntry>& table,
                                         const HostIdentity& identity) {
  std::vector<os::Fd> out;
  for (const MountEntry& entry : table) {
    ASSIGN_OR_RETURN(os::Fd source, open_source(entry, identity));
    out.push_back(std::move(source));
  }
  return out;
}

}  // namespace paddock::sandbox
