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
#include "node-agent/sandbox/plan/proc_covers.h"

namespace paddock::sandbox {
namespace {

constexpr const char* kStaging = ".proc";
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

// Copies the mount of something in it, with the attributes that it has.
Result<os::Fd> copy_of(const os::Fd& from, const char* name) {
  os::Fd out(
      open_tree(from.get(), name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW));
  if (!out.valid()) return step_error(cat("copying the mount for /proc/", name), errno);
  return out;
}

// The kernel's own file, read-only.
Result<os::Fd> copy_of_uuid(const os::Fd& proc) {
  ASSIGN_OR_RETURN(os::Fd out, copy_of(proc, kUuid));
  TRY(make_read_only(out, cat("/proc/", kUuid)));
  return out;
}

// A name that this kernel's /proc does not have is not shown.
Status put(const os::Fd& proc, const char* name, const os::Fd& mount) {
  const os::Fd target(openat(proc.get(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!target.valid()) return errno == ENOENT ? Status() : step_error(cat("/proc/", name), errno);
  return attach(mount, target, cat("/proc/", name));
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

Result<os::Fd> new_files() {
  return new_file_system("tmpfs", {{"size", "8m"}, {"nr_inodes", "16384"}, {"mode", "0755"}},
                         MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

std::string folder_of(const std::string& path) {
  const size_t end = path.rfind('/');
  return end == std::string::npos ? std::string() : path.substr(0, end);
}

bool lies_in_sys(std::string_view cover) { return cover.find('/') != std::string_view::npos; }

}  // namespace

Result<ReadyProcFiles> ReadyProcFiles::make(std::vector<ProcFile> table) {
  ReadyProcFiles out;
  ASSIGN_OR_RETURN(out.mount_, new_files());
  for (const ProcFile& file : table) {
    TRY(make_folders(out.mount_.get(), file.path));
    TRY(write_one(out.mount_.get(), file));
  }
  TRY(make_read_only(out.mount_, "the files of /proc"));
  out.table_ = std::move(table);
  return out;
}

Result<ProcNames> ProcNames::show(int view, bool detached, const std::vector<ProcFile>& table,
                                  const ReadyProcFiles* ready) {
  ProcNames out;
  out.ready_ = ready;
  out.proc_.reset(openat(view, "proc", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!out.proc_.valid()) return step_error("opening the sandbox's /proc", errno);
  const std::vector<std::string> covers = proc_covers(table);
  out.take_own(covers, table);
  ASSIGN_OR_RETURN(out.files_, new_files());
  TRY(out.write(out.own_of(table)));
  if (!detached) TRY(attach_for_now(view, out.files_));
  TRY(out.put_all(covers));
  if (!detached) TRY(detach_again(view));
  TRY(list_processes_only(out.proc_));
  return out;
}

Status ProcNames::rewrite(const std::vector<ProcFile>& table) {
  const std::vector<std::string> more = take_own(proc_covers(table), table);
  TRY(write(own_of(table)));
  if (more.empty()) return {};
  TRY(make_read_only(files_, "the files of /proc"));
  for (const std::string& cover : more) TRY(put_own(cover));
  return make_writable(files_, "the files of /proc");
}

bool ProcNames::is_own(std::string_view cover) const {
  return ready_ == nullptr || std::ranges::count(own_, cover) > 0;
}

// The covers that become the run's own now, and were not before.
std::vector<std::string> ProcNames::take_own(const std::vector<std::string>& covers,
                                             const std::vector<ProcFile>& table) {
  std::vector<std::string> more;
  for (const std::string& cover : covers) {
    if (is_own(cover)) continue;
    const bool around_is_own = lies_in_sys(cover) && is_own("sys");  // which hides what is ready
    if (!around_is_own && !is_of_one_run(cover) && !differs(cover, table, ready_->table()))
      continue;
    own_.push_back(cover);
    more.push_back(cover);
  }
  return more;
}

std::vector<ProcFile> ProcNames::own_of(const std::vector<ProcFile>& table) const {
  std::vector<ProcFile> out;
  for (const ProcFile& file : table) {
    if (is_own(proc_cover(file.path))) out.push_back(file);
  }
  return out;
}

Status ProcNames::write(std::vector<ProcFile> table) {
  for (const ProcFile& before : written_) {
    const auto now = std::ranges::find(table, before.path, &ProcFile::path);
    if (now != table.end() && now->kind == before.kind) continue;
    const int flags = before.kind == ProcFile::Kind::kFolder ? AT_REMOVEDIR : 0;
    if (unlinkat(files_.get(), before.path.c_str(), flags) != 0)
      return step_error(cat("removing /proc/", before.path), errno);
  }
  std::string made;
  for (const ProcFile& file : table) {
    const auto before = std::ranges::find(written_, file.path, &ProcFile::path);
    if (before != written_.end() && *before == file) continue;
    if (const std::string folder = folder_of(file.path); folder != made) {
      TRY(make_folders(files_.get(), file.path));
      made = folder;
    }
    TRY(write_one(files_.get(), file));
  }
  written_ = std::move(table);
  return {};
}

Status ProcNames::put_own(const std::string& cover) const {
  ASSIGN_OR_RETURN(const os::Fd mount, copy_of(files_, cover.c_str()));
  return put(proc_, cover.c_str(), mount);
}

// Copies take over the attributes of the mount that they are of. To make that read-only while they
// are made is cheaper than to make each of them so. What lies in sys comes by itself only if the
// rest is not of the run's own making.
Status ProcNames::put_all(const std::vector<std::string>& covers) {
  auto uuid = copy_of_uuid(proc_);  // before its folder is covered
  TRY(make_read_only(files_, "the files of /proc"));
  for (const std::string& cover : covers) {
    if (is_own(cover)) {
      if (ready_ != nullptr || !lies_in_sys(cover)) TRY(put_own(cover));
    } else if (!lies_in_sys(cover)) {
      ASSIGN_OR_RETURN(const os::Fd mount, copy_of(ready_->mount(), cover.c_str()));
      TRY(put(proc_, cover.c_str(), mount));
    }
  }
  TRY(make_writable(files_, "the files of /proc"));
  return uuid.ok() ? put(proc_, kUuid, *uuid) : Status();
}

}  // namespace paddock::sandbox
