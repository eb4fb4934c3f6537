// The new root: a small tmpfs, filled from the mount table, then read-only. The command gets it as
// a detached tree of mounts: nothing of it is in the mount namespace, whose own root is empty, and
// so /proc/self/mountinfo tells it no path of the host.
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/mounts.h"
#include "node-agent/sandbox/linux/raw.h"

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr const char* kStagingPoint =
    "/usr";  // any folder that every host has; only we see it covered
constexpr const char* kScratchName = ".scratch";

struct Option {
  const char* name;
  std::string value;
};

Result<os::Fd> new_file_system(const char* type, const std::vector<Option>& options,
                               unsigned attributes) {
  const os::Fd context(fsopen(type, FSOPEN_CLOEXEC));
  if (!context.valid()) return step_error(cat("opening a new ", type), errno);
  for (const Option& option : options) {
    if (fsconfig(context.get(), FSCONFIG_SET_STRING, option.name, option.value.c_str(), 0) != 0) {
      return step_error(cat("setting ", option.name, " of the new ", type), errno);
    }
  }
  if (fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return step_error(cat("creating the new ", type), errno,
                      "inside a container its /proc must not be masked");
  }
  os::Fd mount(fsmount(context.get(), FSMOUNT_CLOEXEC, attributes));
  if (!mount.valid())
    return step_error(cat("mounting the new ", type), errno,
                      "inside a container its /proc must not be masked");
  return mount;
}

Status attach(const os::Fd& mount, const os::Fd& target, const std::string& name) {
  if (move_mount(mount.get(), "", target.get(), "",
                 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    return step_error(cat("mounting ", name), errno);
  }
  return {};
}

// Builds below one folder, component by component, following no link. New folders are made in the
// root only, never in what is mounted: a request cannot change its own sources.
class RootBuilder {
 public:
  explicit RootBuilder(os::Fd root) : root_(std::move(root)) { add_device(root_); }
  int root() const { return root_.get(); }

  // A place to mount at.
  Result<os::Fd> folder(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    forget_below(path);
    ASSIGN_OR_RETURN(const Folder* above, parent(path));
    return enter(*above, std::string(name_of(path)), path);
  }

  // An empty file (or what is there) to mount a file upon.
  Result<os::Fd> file(std::string_view path) {
    ASSIGN_OR_RETURN(const Folder* above, parent(path));
    const std::string name(name_of(path));
    const int flags = above->ours ? O_CREAT | O_WRONLY : O_PATH;
    os::Fd out(openat(above->fd.get(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!out.valid()) return step_error(cat("there is no such place to mount at: ", path), errno);
    return out;
  }

  Status write_file(std::string_view path, std::string_view content) {
    ASSIGN_OR_RETURN(const Folder* above, parent(path));
    const os::Fd made(openat(above->fd.get(), std::string(name_of(path)).c_str(),
                             O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444));
    if (!made.valid()) return step_error(cat("making the file ", path), errno);
    return os::write_all(made.get(), content);
  }

  // An empty folder over what is there.
  Status cover(std::string_view path) {
    ASSIGN_OR_RETURN(
        os::Fd mount,
        new_file_system("tmpfs", {{"size", "1m"}, {"nr_inodes", "1024"}, {"mode", "0755"}},
                        MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
    ASSIGN_OR_RETURN(const os::Fd target, folder(path));
    TRY(attach(mount, target, std::string(path)));
    add_device(mount);
    covers_.push_back(std::move(mount));
    return {};
  }

  // Once everything is in place.
  Status seal_covers() const {
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_RDONLY;
    for (const os::Fd& mount : covers_) {
      if (mount_setattr(mount.get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0)
        return step_error("making a folder of programs read-only", errno);
    }
    return {};
  }

  Status link(std::string_view path, const std::string& to) {
    ASSIGN_OR_RETURN(const Folder* above, parent(path));
    if (symlinkat(to.c_str(), above->fd.get(), std::string(name_of(path)).c_str()) != 0)
      return step_error(cat("making the link ", path), errno);
    return {};
  }

 private:
  struct Folder {
    std::string path;
    os::Fd fd;
    bool ours = false;  // of the root or a cover, and not of what is mounted
  };

  static std::string_view name_of(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
  }

  // Kept for the next entry: most are neighbours.
  Result<const Folder*> parent(std::string_view path) {
    const std::string_view wanted = path.substr(0, path.find_last_of('/') + 1);
    if (last_.fd.valid() && last_.path == wanted) return &last_;
    os::Fd at(openat(root_.get(), ".", kFolderFlags));
    bool ours = true;
    for (const std::string& part : split(wanted, '/')) {
      if (part.empty()) continue;
      ASSIGN_OR_RETURN(at, enter({{}, std::move(at), ours}, part, path));
      ours = is_ours(at);
    }
    last_ = {std::string(wanted), std::move(at), ours};
    return &last_;
  }

  static Result<os::Fd> enter(const Folder& above, const std::string& name, std::string_view path) {
    if (above.ours && mkdirat(above.fd.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
      return step_error(cat("making the folder ", path), errno);
    os::Fd out(openat(above.fd.get(), name.c_str(), kFolderFlags));
    if (!out.valid()) return step_error(cat("there is no such place to mount at: ", path), errno);
    return out;
  }

  // Something will cover this path: what is kept may lie beneath it then.
  void forget_below(std::string_view path) {
    if (last_.path.starts_with(path)) last_ = {};
  }

  bool is_ours(const os::Fd& fd) const {
    struct stat info {};
    return fstat(fd.get(), &info) == 0 && std::ranges::count(devices_, info.st_dev) > 0;
  }
  void add_device(const os::Fd& fd) {
    struct stat info {};
    if (fstat(fd.get(), &info) == 0) devices_.push_back(info.st_dev);
  }

  Folder last_;
  os::Fd root_;
  std::vector<os::Fd> covers_;
  std::vector<dev_t> devices_;  // of what is made here: the root and the covers
};

Status place_source(RootBuilder& root, const MountEntry& entry, const os::Fd& source) {
  struct stat info {};
  if (fstat(source.get(), &info) != 0) return step_error(cat("inspecting ", entry.target), errno);
  if (S_ISDIR(info.st_mode)) {
    ASSIGN_OR_RETURN(const os::Fd target, root.folder(entry.target));
    return attach(source, target, entry.target);
  }
  ASSIGN_OR_RETURN(const os::Fd target, root.file(entry.target));
  return attach(source, target, entry.target);
}

Status place_proc(RootBuilder& root) {
  // Own processes only, and nothing but processes: no /proc/sys, kcore, keys, sysrq-trigger.
  ASSIGN_OR_RETURN(const os::Fd proc,
                   new_file_system("proc", {{"subset", "pid"}, {"hidepid", "invisible"}},
                                   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  ASSIGN_OR_RETURN(const os::Fd target, root.folder("/proc"));
  return attach(proc, target, "/proc");
}

// /tmp and /dev/shm are two folders of one tmpfs, so that one limit holds for both.
Status place_scratch(RootBuilder& root, const MountEntry& entry) {
  const unsigned scratch_attributes =
      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (entry.no_programs ? unsigned{MOUNT_ATTR_NOEXEC} : 0U);
  ASSIGN_OR_RETURN(const os::Fd scratch, new_file_system("tmpfs",
                                                         {{"size", cat(entry.bytes)},
                                                          {"nr_inodes", cat(entry.files + 3)},
                                                          {"mode", "0755"}},
                                                         scratch_attributes));
  ASSIGN_OR_RETURN(const os::Fd staging, root.folder(kScratchName));
  TRY(attach(scratch, staging, "the scratch space"));
  for (const auto& [name, target_path] : {std::pair{"tmp", "/tmp"}, std::pair{"shm", "/dev/shm"}}) {
    if (mkdirat(scratch.get(), name, 0700) != 0 || fchmodat(scratch.get(), name, 01777, 0) != 0) {
      return step_error(cat("making ", target_path), errno);
    }
    const os::Fd part(open_tree(scratch.get(), name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    if (!part.valid()) return step_error(cat("copying the mount for ", target_path), errno);
    ASSIGN_OR_RETURN(const os::Fd target, root.folder(target_path));
    TRY(attach(part, target, target_path));
  }
  if (fchdir(root.root()) != 0 || umount2(kScratchName, MNT_DETACH) != 0 ||
      unlinkat(root.root(), kScratchName, AT_REMOVEDIR) != 0) {
    return step_error("hiding the scratch space's own root", errno);
  }
  return {};
}

Status place(RootBuilder& root, const MountEntry& entry, const os::Fd& source) {
  switch (entry.kind) {
    case Kind::kFolder:
      return root.folder(entry.target).ok() ? Status()
                                            : step_error(cat("making ", entry.target), errno);
    case Kind::kFile:
      return root.write_file(entry.target, entry.source);
    case Kind::kSymlink:
      return root.link(entry.target, entry.source);
    case Kind::kSystem:
    case Kind::kDevice:
    case Kind::kBind:
      return place_source(root, entry, source);
    case Kind::kProc:
      return place_proc(root);
    case Kind::kScratch:
      return place_scratch(root, entry);
    case Kind::kCover:
      return root.cover(entry.target);
  }
  return {};
}

// The whole view as a tree of its own, with a read-only root.
Result<os::Fd> detached_copy(int root) {
  os::Fd view(
      open_tree(root, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE));
  if (!view.valid()) return step_error("detaching the new root", errno);
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (mount_setattr(view.get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0)
    return step_error("making the root read-only", errno);
  return view;
}

// Leaves everything: the host's root, and the place where the new one was built.
Status move_into_nothing(const os::Fd& over) {
  ASSIGN_OR_RETURN(const os::Fd nothing,
                   new_file_system("tmpfs", {{"size", "4k"}, {"nr_inodes", "1"}, {"mode", "0555"}},
                                   MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
                                       MOUNT_ATTR_NOEXEC));
  TRY(attach(nothing, over, "the empty root"));
  if (fchdir(nothing.get()) != 0) return step_error("entering the empty root", errno);
  if (raw::pivot_root(".", ".") != 0) return step_error("pivot_root", errno);
  // The old root now lies over the new one: take it away, with everything below it.
  if (umount2(".", MNT_DETACH) != 0) return step_error("detaching the host's root", errno);
  if (chdir("/") != 0) return step_error("entering the empty root", errno);
  return {};
}

}  // namespace

Status make_mounts_private() {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return step_error("making the mounts private", errno);
  return {};
}

Result<os::Fd> build_root(const std::vector<MountEntry>& table,
                          const std::vector<os::Fd>& sources) {
  ASSIGN_OR_RETURN(
      os::Fd tmpfs,
      new_file_system("tmpfs", {{"size", "4m"}, {"nr_inodes", "1024"}, {"mode", "0755"}},
                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  const os::Fd staging(open(kStagingPoint, kFolderFlags));
  if (!staging.valid()) return step_error("opening the place for the new root", errno);
  TRY(attach(tmpfs, staging, "the new root"));
  RootBuilder root(std::move(tmpfs));
  for (size_t i = 0; i < table.size(); ++i) TRY(place(root, table[i], sources[i]));
  TRY(root.seal_covers());
  ASSIGN_OR_RETURN(os::Fd view, detached_copy(root.root()));
  TRY(move_into_nothing(staging));
  return view;
}

Status enter_root(int view) {
  if (fchdir(view) != 0 || chroot(".") != 0) return step_error("entering the new root", errno);
  return {};
}

}  // namespace paddock::sandbox
