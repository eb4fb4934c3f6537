#include "node-agent/sandbox/linux/filesystem/proc_names.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/filesystem/new_mount.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

constexpr const char* kStaging = ".proc";
constexpr const char* kSettings = "sys";
// The kernel's own file, which says another UUID each time it is read.
constexpr const char* kUuid = "sys/kernel/random/uuid";
// A file that is in every whole /proc, and that is never one of ours.
constexpr const char* kForeign = "interrupts";

Status make_folder(int files, const std::string& path) {
  if (mkdirat(files, path.c_str(), 0755) != 0)
    return errno == EEXIST ? Status() : step_error(cat("making the folder /proc/", path), errno);
  // The umask of this process must not matter.
  if (fchmodat(files, path.c_str(), 0755, 0) != 0)
    return step_error(cat("making the folder /proc/", path), errno);
  return {};
}

Status make_folders(int files, const std::string& path) {
  for (size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1))
    TRY(make_folder(files, path.substr(0, end)));
  return {};
}

Status write_one(int files, const ProcFile& file) {
  if (file.kind == ProcFile::Kind::kFolder) return make_folder(files, file.path);
  if (file.kind == ProcFile::Kind::kLink) {
    if (symlinkat(file.content.c_str(), files, file.path.c_str()) == 0) return {};
    return step_error(cat("making the link /proc/", file.path), errno);
  }
  const os::Fd made(openat(files, file.path.c_str(),
                           O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0444));
  if (!made.valid()) return step_error(cat("making /proc/", file.path), errno);
  if (fchmod(made.get(), 0444) != 0) return step_error(cat("making /proc/", file.path), errno);
  return os::write_all(made.get(), file.content);
}

// Copies the mount of one of our files, read-only.
Result<os::Fd> copy_of(int from, const char* name) {
  os::Fd out(open_tree(from, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW));
  if (!out.valid()) return step_error(cat("copying the mount for /proc/", name), errno);
  mount_attr attributes{};
  attributes.attr_set =
      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  attributes.propagation = MS_PRIVATE;
  if (mount_setattr(out.get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0)
    return step_error(cat("restricting /proc/", name), errno);
  return out;
}

// A name that this kernel's /proc does not have is not shown.
Status put(const os::Fd& proc, const char* name, const os::Fd& mount) {
  const os::Fd target(openat(proc.get(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!target.valid()) return errno == ENOENT ? Status() : step_error(cat("/proc/", name), errno);
  return attach(mount, target, cat("/proc/", name));
}

Status put_all(const os::Fd& proc, const os::Fd& files, const std::vector<ProcFile>& table) {
  auto uuid = copy_of(proc.get(), kUuid);  // before its folder is covered
  for (const ProcFile& file : table) {
    if (file.path.find('/') != std::string::npos) continue;
    ASSIGN_OR_RETURN(const os::Fd mount, copy_of(files.get(), file.path.c_str()));
    TRY(put(proc, file.path.c_str(), mount));
  }
  ASSIGN_OR_RETURN(const os::Fd settings, copy_of(files.get(), kSettings));
  TRY(put(proc, kSettings, settings));
  return uuid.ok() ? put(proc, kUuid, *uuid) : Status();
}

Status list_processes_only(const os::Fd& proc) {
  const os::Fd context(fspick(proc.get(), "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH));
  if (!context.valid()) return step_error("opening /proc", errno);
  TRY(set_options(context, {{"subset", "pid"}, {"hidepid", "invisible"}}));
  if (fsconfig(context.get(), FSCONFIG_CMD_RECONFIGURE, nullptr, nullptr, 0) != 0)
    return step_error("hiding what else is in /proc", errno);
  if (faccessat(proc.get(), kForeign, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
    return step_error("hiding what else is in /proc", EPROTO);
  return {};
}

// Attaches the files' mount for a moment: older kernels copy attached mounts only.
Status attach_for_now(int view, const os::Fd& files) {
  if (mkdirat(view, kStaging, 0700) != 0) return step_error("making a place for /proc", errno);
  const os::Fd place(openat(view, kStaging, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!place.valid()) return step_error("making a place for /proc", errno);
  return attach(files, place, "the files of /proc");
}

Status detach_again(int view) {
  if (fchdir(view) != 0 || umount2(kStaging, MNT_DETACH) != 0 ||
      unlinkat(view, kStaging, AT_REMOVEDIR) != 0) {
    return step_error("taking away the place for /proc", errno);
  }
  return {};
}

}  // namespace

Result<ProcNames> ProcNames::show(int view, bool detached, const std::vector<ProcFile>& table) {
  const os::Fd proc(openat(view, "proc", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!proc.valid()) return step_error("opening the sandbox's /proc", errno);
  ProcNames out;
  ASSIGN_OR_RETURN(
      out.files_,
      new_file_system("tmpfs", {{"size", "8m"}, {"nr_inodes", "16384"}, {"mode", "0755"}},
                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  TRY(out.rewrite(table));
  if (!detached) TRY(attach_for_now(view, out.files_));
  TRY(put_all(proc, out.files_, table));
  if (!detached) TRY(detach_again(view));
  TRY(list_processes_only(proc));
  return out;
}

Status ProcNames::rewrite(std::vector<ProcFile> table) {
  for (const ProcFile& before : written_) {
    const auto now = std::ranges::find(table, before.path, &ProcFile::path);
    if (now != table.end() && now->kind == before.kind) continue;
    const int flags = before.kind == ProcFile::Kind::kFolder ? AT_REMOVEDIR : 0;
    if (unlinkat(files_.get(), before.path.c_str(), flags) != 0)
      return step_error(cat("removing /proc/", before.path), errno);
  }
  for (const ProcFile& file : table) {
    const auto before = std::ranges::find(written_, file.path, &ProcFile::path);
    if (before != written_.end() && *before == file) continue;
    if (before == written_.end()) TRY(make_folders(files_.get(), file.path));
    TRY(write_one(files_.get(), file));
  }
  written_ = std::move(table);
  return {};
}

}  // namespace paddock::sandbox
