#include "node-agent/sandbox/linux/filesystem/view.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/filesystem/new_mount.h"
#include "node-agent/sandbox/linux/filesystem/root.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr const char* kStagingName = ".scratch";

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Opens a folder by its name and follows no link. A missing folder is made in the view's own root
// only, never in what is mounted there, so that a request cannot change its sources.
Result<os::Fd> enter(int above, bool ours, const std::string& name, std::string_view path) {
  os::Fd out(openat(above, name.c_str(), kFolderFlags));
  if (out.valid()) return out;
  if (ours && errno == ENOENT) {
    if (mkdirat(above, name.c_str(), 0755) != 0)
      return step_error(cat("making the folder ", path), errno);
    out.reset(openat(above, name.c_str(), kFolderFlags));
  }
  if (!out.valid()) return step_error(cat("there is no such place to mount at: ", path), errno);
  return out;
}

}  // namespace

View::View(os::Fd root, bool detached) : root_(std::move(root)), detached_(detached) {
  add_device(root_);
}

Result<View> View::make(bool detached) {
  ASSIGN_OR_RETURN(
      os::Fd root,
      new_file_system("tmpfs", {{"size", "4m"}, {"nr_inodes", "1024"}, {"mode", "0755"}},
                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  if (!detached) {
    const os::Fd point(open(kCoveredPoint, kFolderFlags));
    if (!point.valid()) return step_error("opening the place for the new root", errno);
    TRY(attach(root, point, "the new root"));
  }
  return View(std::move(root), detached);
}

Status View::place(const MountEntry& entry, const os::Fd& source) {
  switch (entry.kind) {
    case Kind::kFolder: {
      ASSIGN_OR_RETURN(const os::Fd made, folder(entry.target));
      return {};
    }
    case Kind::kFile:
      return write_file(entry.target, entry.source);
    case Kind::kSecret:
      return write_secret(entry.target, entry.source);
    case Kind::kSymlink:
      return link(entry.target, entry.source);
    case Kind::kSystem:
    case Kind::kDevice:
    case Kind::kBind:
      return place_source(entry, source);
    case Kind::kProc: {
      ASSIGN_OR_RETURN(const os::Fd proc, new_proc());
      return place_tree(entry.target, proc);
    }
    case Kind::kTerminals: {
      ASSIGN_OR_RETURN(const os::Fd terminals, new_terminals());
      return place_tree(entry.target, terminals);
    }
    case Kind::kScratch:
      return place_scratch(entry);
    case Kind::kCover:
      return cover(entry.target);
    case Kind::kLoader:
      return place_loader(entry, source);
  }
  return {};
}

Status View::place_tree(std::string_view path, const os::Fd& tree) {
  ASSIGN_OR_RETURN(const os::Fd target, folder(path));
  return attach(tree, target, path);
}

Result<os::Fd> View::finish() {
  for (const Cover& cover : covers_) {
    TRY(make_read_only(cover.mount, "a folder of programs"));
    if (detached_) TRY(place_tree(cover.path, cover.mount));
  }
  if (detached_) {
    TRY(make_read_only(root_, "the root"));
    return os::Fd(fcntl(root_.get(), F_DUPFD_CLOEXEC, 3));
  }
  os::Fd out(open_tree(root_.get(), "",
                       OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE));
  if (!out.valid()) return step_error("detaching the new root", errno);
  TRY(make_read_only(out, "the root"));
  return out;
}

// The folder to mount at; makes it if the root lacks it.
Result<os::Fd> View::folder(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  forget_below(path);
  ASSIGN_OR_RETURN(const Folder* above, parent(path));
  return enter(above->fd.get(), above->ours, std::string(name_of(path)), path);
}

// The file to mount a file upon; makes an empty one if the root lacks it.
Result<os::Fd> View::file(std::string_view path) {
  ASSIGN_OR_RETURN(const Folder* above, parent(path));
  const std::string name(name_of(path));
  const int flags = above->ours ? O_CREAT | O_WRONLY : O_PATH;
  os::Fd out(openat(above->fd.get(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!out.valid()) return step_error(cat("there is no such place to mount at: ", path), errno);
  return out;
}

Status View::write_file(std::string_view path, std::string_view content, mode_t mode) {
  ASSIGN_OR_RETURN(const Folder* above, parent(path));
  const os::Fd made(openat(above->fd.get(), std::string(name_of(path)).c_str(),
                           O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode));
  if (!made.valid()) return step_error(cat("making the file ", path), errno);
  return os::write_all(made.get(), content);
}

Status View::write_secret(std::string_view path, std::string_view content) {
  TRY(write_file(path, content, 0400));
  if (!secrets_owner_) return {};
  ASSIGN_OR_RETURN(const Folder* above, parent(path));
  if (fchownat(above->fd.get(), std::string(name_of(path)).c_str(), secrets_owner_->first,
               secrets_owner_->second, AT_SYMLINK_NOFOLLOW) != 0)
    return step_error(cat("handing over the file ", path), errno);
  return {};
}

Status View::link(std::string_view path, const std::string& to) {
  ASSIGN_OR_RETURN(const Folder* above, parent(path));
  if (symlinkat(to.c_str(), above->fd.get(), std::string(name_of(path)).c_str()) != 0)
    return step_error(cat("making the link ", path), errno);
  return {};
}

// Puts an empty folder over what is there. In a detached tree the kernel lets nobody change a mount
// below the top one, so there a cover is filled and made read-only by itself, and put in its place
// last.
Status View::cover(std::string_view path) {
  ASSIGN_OR_RETURN(
      os::Fd mount,
      new_file_system("tmpfs", {{"size", "1m"}, {"nr_inodes", "1024"}, {"mode", "0755"}},
                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  if (!detached_) TRY(place_tree(path, mount));
  add_device(mount);
  covers_.push_back({std::string(path), std::move(mount)});
  return {};
}

Status View::place_source(const MountEntry& entry, const os::Fd& source) {
  struct stat info {};
  if (fstat(source.get(), &info) != 0) return step_error(cat("inspecting ", entry.target), errno);
  if (S_ISDIR(info.st_mode)) return place_tree(entry.target, source);
  ASSIGN_OR_RETURN(const os::Fd target, file(entry.target));
  return attach(source, target, entry.target);
}

// /tmp and /dev/shm are two folders of one tmpfs, so that one limit holds for both. Its own root,
// where both could be seen, is mounted nowhere.
Status View::place_scratch(const MountEntry& entry) {
  if (scratch_.valid()) return resize_scratch(entry);
  const unsigned attributes =
      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (entry.no_programs ? unsigned{MOUNT_ATTR_NOEXEC} : 0U);
  ASSIGN_OR_RETURN(os::Fd scratch, new_file_system("tmpfs",
                                                   {{"size", cat(entry.bytes)},
                                                    {"nr_inodes", cat(entry.files + 3)},
                                                    {"mode", "0755"}},
                                                   attributes));
  if (!detached_) TRY(place_tree(cat("/", kStagingName), scratch));
  for (const auto& [name, target] : {std::pair{"tmp", "/tmp"}, std::pair{"shm", "/dev/shm"}}) {
    if (mkdirat(scratch.get(), name, 0700) != 0 || fchmodat(scratch.get(), name, 01777, 0) != 0)
      return step_error(cat("making ", target), errno);
    const os::Fd part(open_tree(scratch.get(), name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    if (!part.valid()) return step_error(cat("copying the mount for ", target), errno);
    TRY(place_tree(target, part));
  }
  if (!detached_) return remove_staging();
  scratch_ = std::move(scratch);
  return {};
}

// Shows the loader's copy, as a file of a tmpfs of its own whose root is mounted nowhere.
Status View::place_loader(const MountEntry& entry, const os::Fd& content) {
  constexpr const char* kName = "loader";
  ASSIGN_OR_RETURN(const std::string bytes, os::read_all(content.get(), size_t{1} << 30));
  ASSIGN_OR_RETURN(
      const os::Fd own,
      new_file_system("tmpfs",
                      {{"size", cat(bytes.size() + 4096)}, {"nr_inodes", "2"}, {"mode", "0755"}},
                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  if (!detached_) TRY(place_tree(cat("/", kStagingName), own));
  os::Fd made(openat(own.get(), kName, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0555));
  if (!made.valid()) return step_error(cat("making ", entry.target), errno);
  TRY(os::write_all(made.get(), bytes));
  made.reset();  // the kernel executes no file that is open for writing
  const os::Fd file(open_tree(own.get(), kName, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!file.valid()) return step_error(cat("copying the mount for ", entry.target), errno);
  TRY(make_read_only(file, entry.target));
  TRY(place_source(entry, file));
  return detached_ ? Status() : remove_staging();
}

Status View::resize_scratch(const MountEntry& entry) {
  const os::Fd context(fspick(scratch_.get(), "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH));
  if (!context.valid()) return step_error("opening the scratch space", errno);
  TRY(set_options(context, {{"size", cat(entry.bytes)}, {"nr_inodes", cat(entry.files + 3)}}));
  if (fsconfig(context.get(), FSCONFIG_CMD_RECONFIGURE, nullptr, nullptr, 0) != 0)
    return step_error("setting the size of the scratch space", errno);
  return {};
}

Status View::remove_staging() {
  if (fchdir(root_.get()) != 0 || umount2(kStagingName, MNT_DETACH) != 0 ||
      unlinkat(root_.get(), kStagingName, AT_REMOVEDIR) != 0) {
    return step_error("hiding the scratch space's own root", errno);
  }
  return {};
}

Result<const View::Folder*> View::parent(std::string_view path) {
  const std::string_view wanted = path.substr(0, path.find_last_of('/') + 1);
  if (last_.fd.valid() && last_.path == wanted) return &last_;
  int top = root_.get();
  std::string_view way = wanted;
  for (const Cover& cover : covers_) {
    if (!detached_ || !wanted.starts_with(cat(cover.path, "/"))) continue;
    top = cover.mount.get();
    way = wanted.substr(cover.path.size());
  }
  os::Fd at(openat(top, ".", kFolderFlags));
  bool ours = true;
  for (const std::string& part : split(way, '/')) {
    if (part.empty()) continue;
    ASSIGN_OR_RETURN(at, enter(at.get(), ours, part, path));
    ours = is_ours(at);
  }
  last_ = {std::string(wanted), std::move(at), ours};
  return &last_;
}

// Forgets the folder that is kept open if it is at or below this path, which is about to be
// covered.
void View::forget_below(std::string_view path) {
  if (last_.path.starts_with(path)) last_ = {};
}

bool View::is_ours(const os::Fd& fd) const {
  struct stat info {};
  return fstat(fd.get(), &info) == 0 && std::ranges::count(devices_, info.st_dev) > 0;
}

void View::add_device(const os::Fd& fd) {
  struct stat info {};
  if (fstat(fd.get(), &info) == 0) devices_.push_back(info.st_dev);
}

}  // namespace paddock::sandbox
