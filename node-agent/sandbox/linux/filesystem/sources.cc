#include "node-agent/sandbox/linux/filesystem/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/overlay.h"
#include "common/os/packet_socket.h"
#include "node-agent/sandbox/linux/filesystem/new_mount.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/users/host_user.h"
#include "node-agent/sandbox/linux/users/user_namespace.h"
#include "node-agent/sandbox/plan/program_head.h"

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

// Error messages name a mount by its place inside, so that no path of the host is in them.
std::string step(std::string_view doing, const MountEntry& entry) {
  return cat(doing, " for ", entry.target);
}

Result<os::Fd> open_host_path(const MountEntry& entry) {
  // A path of a policy may have no link on its way. Another path of a request may have one, such as
  // /var/run, but not as its last part, so that a process that can write beside it gains nothing.
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

// The mapping namespace for files of this owner. If one has to be made, `made` holds it.
Result<int> mapping_for(uid_t uid, gid_t gid, const HostIdentity& identity, os::Fd& made) {
  if (uid == 0 && gid == 0 && identity.root_mapping >= 0) return identity.root_mapping;
  if (uid == kDefaultHostId && gid == kDefaultHostId && identity.default_mapping >= 0)
    return identity.default_mapping;
  ASSIGN_OR_RETURN(made, make_mapping_namespace({uid, gid, identity.uid, identity.gid}));
  return made.get();
}

Status map_ids(const os::Fd& mount, int mapping) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_IDMAP;
  attributes.userns_fd = static_cast<__u64>(mapping);
  if (mount_setattr(mount.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                    sizeof attributes) != 0)
    return step_error("mapping the owner of a mount", errno);
  return {};
}

Error not_mapped(const MountEntry& entry, const HostIdentity& identity, const Error& why) {
  return {Code::kFailedPrecondition, kOwnerNotMapped,
          cat(step(why.message, entry), "; this file system cannot map ids: let uid ", identity.uid,
              " own the folder")};
}

// Maps the owner of the folder to the command's user, to whom its files then belong.
Status map_owner(const os::Fd& source, const os::Fd& mount, const MountEntry& entry,
                 const HostIdentity& identity) {
  struct stat info {};
  if (fstat(source.get(), &info) != 0)
    return step_error(step("inspecting the source", entry), errno);
  if (info.st_uid == identity.uid && info.st_gid == identity.gid) return {};
  os::Fd made;
  ASSIGN_OR_RETURN(const int mapping, mapping_for(info.st_uid, info.st_gid, identity, made));
  const Status mapped = map_ids(mount, mapping);
  // A read-only mount of somebody else's files can do without the mapping: the modes decide what
  // can be read. The command's own files must belong to it.
  const bool own = entry.writable || info.st_uid == identity.files_owner;
  if (mapped.ok() || !own || info.st_uid == identity.uid) return {};
  return not_mapped(entry, identity, mapped.error());
}

// `allowed`: attributes that are taken away.
Status restrict_mount(const os::Fd& mount, const MountEntry& entry, uint64_t allowed = 0) {
  mount_attr attributes{};
  attributes.attr_clr = allowed;
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
  return {};
}

Result<os::Fd> copy_mount(const os::Fd& source, const MountEntry& entry) {
  os::Fd mount(open_tree(source.get(), "",
                         OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE));
  if (!mount.valid()) return step_error(step("copying the mount", entry), errno);
  TRY(restrict_mount(mount, entry));
  return mount;
}

Result<os::Fd> copy_own_device(int devices, const MountEntry& entry) {
  os::Fd mount(open_tree(devices, std::string(os::base_name(entry.source)).c_str(),
                         OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW));
  struct stat info {};
  if (!mount.valid() || fstat(mount.get(), &info) != 0)
    return step_error(step("copying the mount", entry), errno);
  if (!S_ISCHR(info.st_mode)) return step_error(step("inspecting the source", entry), EINVAL);
  TRY(restrict_mount(mount, entry, MOUNT_ATTR_NODEV));
  return mount;
}

std::string folder_above(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string path_below(const os::Fd& mount, const std::string& name) {
  return cat("/proc/self/fd/", mount.get(), name.empty() ? "" : "/", name);
}

Result<os::Fd> mapped_copy(const std::string& folder, int mapping) {
  os::Fd out(open_tree(AT_FDCWD, folder.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!out.valid()) return step_error("copying the mount of a layer", errno);
  TRY(map_ids(out, mapping));
  return out;
}

// Mounts the layers such that they belong to the command's user. The mount is made as that user,
// because the kernel creates files of its own there, and no other user has a number in the mapped
// mounts.
Result<os::Fd> mapped_layers(const MountEntry& entry, const HostIdentity& identity) {
  const std::string above = folder_above(entry.source);  // the kernel wants both in one mount
  if (folder_above(entry.work) != above) return step_error("finding the layers", EXDEV);
  if (lchown(entry.work.c_str(), identity.files_owner, identity.files_owner) != 0)
    return step_error("giving away the folder for the kernel's own use", errno);
  os::Fd made;
  ASSIGN_OR_RETURN(const int mapping,
                   mapping_for(identity.files_owner, identity.files_owner, identity, made));
  ASSIGN_OR_RETURN(const os::Fd lower, mapped_copy(entry.lower, mapping));
  ASSIGN_OR_RETURN(const os::Fd upper, mapped_copy(above, mapping));
  ASSIGN_OR_RETURN(const ActingAs user, ActingAs::user(identity.uid));
  return os::mount_layers({path_below(lower, ""), path_below(upper, os::base_name(entry.source)),
                           path_below(upper, os::base_name(entry.work))});
}

// Mounts an overlay. The agent made its folders and alone names them; the upper one belongs to the
// owner of the command's files.
Result<os::Fd> open_layers(const MountEntry& entry, const HostIdentity& identity) {
  if (identity.privileged && identity.uid != identity.files_owner) {
    auto mapped = mapped_layers(entry, identity);
    if (!mapped.ok()) return not_mapped(entry, identity, mapped.error());
    return mapped;
  }
  auto mount = os::mount_layers({entry.lower, entry.source, entry.work});
  if (!mount.ok()) return std::move(mount).error().within(step("layers", entry));
  return mount;
}

// The bytes of the loader's copy, as a file in memory.
Result<os::Fd> copy_loader(const MountEntry& entry) {
  constexpr size_t kMostBytes = size_t{16} << 20;
  const os::Fd file(open(entry.source.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid() || !os::is_regular_file(file))
    return step_error(step("opening the loader", entry), file.valid() ? EINVAL : errno);
  ASSIGN_OR_RETURN(std::string bytes, os::read_all(file.get(), kMostBytes));
  const auto copy = interpreter_only(std::move(bytes));
  if (!copy) return step_error(step("keeping the loader from executing others", entry), ENOEXEC);
  return os::file_in_memory(*copy);
}

}  // namespace

HostIdentity host_identity(const SandboxPlan& plan) {
  return {.privileged = plan.privileged,
          .uid = plan.host_uid,
          .gid = plan.host_gid,
          .files_owner = plan.files_owner};
}

namespace {

// Where this process is root of a user namespace alone, the kernel opens no device of an overlay.
bool can_be_opened(const os::Fd& devices) {
  const auto null = copy_own_device(
      devices.get(),
      {.kind = Kind::kDevice, .target = "", .source = "/dev/null", .writable = true});
  return null.ok() && os::Fd(open(path_below(*null, "").c_str(), O_RDWR | O_CLOEXEC)).valid();
}

}  // namespace

os::Fd own_devices() {
  constexpr unsigned kNothing =
      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  const auto empty = new_file_system("tmpfs", {{"size", "4k"}, {"nr_inodes", "1"}}, kNothing);
  if (!empty.ok()) return {};
  auto out = os::mount_layers({.lower = "/dev", .upper = path_below(*empty, ""), .work = ""});
  return out.ok() && can_be_opened(*out) ? std::move(*out) : os::Fd();
}

Result<os::Fd> open_source(const MountEntry& entry, const HostIdentity& identity) {
  if (entry.kind == Kind::kLoader) return copy_loader(entry);
  if (entry.kind != Kind::kSystem && entry.kind != Kind::kDevice && entry.kind != Kind::kBind)
    return os::Fd();
  if (!entry.lower.empty()) return open_layers(entry, identity);
  if (entry.kind == Kind::kDevice && identity.devices >= 0) {
    auto own = copy_own_device(identity.devices, entry);
    if (own.ok()) return own;  // none: a container's device is a mount of its own
  }
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
