#include "node-agent/sandbox/linux/filesystem/shared_view.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>

#include "common/base/text.h"
#include "node-agent/sandbox/linux/kernel/machine.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/plan/mount_groups.h"
#include "node-agent/sandbox/plan/tool_view.h"

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

// The launcher's umask keeps its own files private. Files of a view get the modes that are asked
// for.
class OpenUmask {
 public:
  OpenUmask() : before_(umask(022)) {}
  ~OpenUmask() { umask(before_); }
  OpenUmask(const OpenUmask&) = delete;
  OpenUmask& operator=(const OpenUmask&) = delete;

 private:
  mode_t before_;
};

bool has_source(const MountEntry& entry) {
  return entry.kind == Kind::kSystem || entry.kind == Kind::kDevice || entry.kind == Kind::kLoader;
}

}  // namespace

std::optional<SharedView::FileIdentity> SharedView::see(const std::string& path) {
  struct stat now {};
  if (stat(path.c_str(), &now) != 0) return std::nullopt;
  return FileIdentity{path, now.st_dev, now.st_ino, now.st_ctim};
}

MachineShare whole_machine(const HostFacts& host) {
  return {.machine = host.machine,
          .processors = host.machine->processors,
          .memory_bytes = {},
          .pids = {},
          .mounts = {}};
}

Result<SharedView> SharedView::make(const HostFacts& host) {
  ASSIGN_OR_RETURN(View view, View::make(true));
  SharedView out(standing_mounts(host), std::move(view));
  ASSIGN_OR_RETURN(out.proc_, ReadyProcFiles::make(proc_files(whole_machine(host), this_moment())));
  for (const MountEntry& entry : out.table_) {
    if (has_source(entry)) TRY(out.watch(entry.source));
  }
  std::vector<MountEntry> shared = out.table_;
  std::erase_if(shared, [](const MountEntry& entry) { return entry.kind == Kind::kScratch; });
  TRY(place_all(out.view_, shared, {.devices = out.devices()}, nullptr));
  TRY(out.wall_off(host));
  ASSIGN_OR_RETURN(const os::Fd sealed, out.view_.finish());
  return out;
}

Status SharedView::watch(const std::string& source) {
  if (std::ranges::any_of(sources_, [&](const FileIdentity& each) { return each.path == source; }))
    return {};
  const auto seen = see(source);
  if (!seen) return step_error(cat("finding ", source), errno);
  sources_.push_back(*seen);
  const std::string folder = source.substr(0, source.rfind('/') + 1);
  const bool known =
      std::ranges::any_of(folders_, [&](const FileIdentity& each) { return each.path == folder; });
  if (known) return {};
  if (const auto around = see(folder)) folders_.push_back(*around);
  return {};
}

// Watches the folders in which a tool that is absent may appear.
Status SharedView::watch_for_tools(const RequestFacts& standing) {
  for (const std::string& folder : standing.program_folders) {
    if (const auto seen = see(folder)) folders_.push_back(*seen);
  }
  return {};
}

// Renders the Landlock ruleset for the standing tools. It watches links that could be turned to
// other tools, and loaders and tools outside the folders of programs, which are not in the table.
Status SharedView::wall_off(const HostFacts& host) {
  LandlockQuestion question{.version = host.landlock};
  if (!host.standing_tools.empty()) {
    const auto tools = make_tool_view(host.standing->tools);
    if (!tools.ok()) return watch_for_tools(*host.standing);
    only_tools(*tools, question);
  }
  for (const ToolFact& tool : host.standing->tools) {
    for (const LinkFact& link : tool.links) TRY(watch(link.path));
  }
  for (const std::string& path : question.executables) {
    TRY(watch(path));
    ASSIGN_OR_RETURN(programs_[path], open_below(view_.root(), path));
  }
  landlock_ = render_landlock(table_, question);
  return {};
}

bool SharedView::is_current() const {
  const auto unchanged = [](const FileIdentity& before) {
    const auto now = see(before.path);
    return now && now->device == before.device && now->inode == before.inode &&
           now->changed.tv_sec == before.changed.tv_sec &&
           now->changed.tv_nsec == before.changed.tv_nsec;
  };
  const auto same = [](const FileIdentity& before) {
    const auto now = see(before.path);
    return now && now->device == before.device && now->inode == before.inode;
  };
  if (std::ranges::all_of(folders_, unchanged)) return true;
  return landlock_ && std::ranges::all_of(sources_, same);
}

Result<os::Fd> SharedView::copy_of(const std::string& top_folder) const {
  os::Fd out(open_tree(view_.root(), top_folder.c_str() + 1,
                       OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW));
  if (!out.valid()) return step_error(cat("copying the mounts of ", top_folder), errno);
  return out;
}

os::Fd watch_mounts() { return os::Fd(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)); }

bool mounts_have_changed(const os::Fd& watch) {
  pollfd news{watch.get(), POLLPRI, 0};
  return !watch.valid() || poll(&news, 1, 0) != 0;
}

Status place_all(View& view, const std::vector<MountEntry>& table, const HostIdentity& identity,
                 const SharedView* shared) {
  const OpenUmask open;
  if (identity.privileged) view.own_secrets(identity.uid, identity.gid);
  std::vector<std::string> copied;
  if (shared != nullptr) {
    copied = same_folders(table, shared->table());
    for (const std::string& folder : copied) {
      ASSIGN_OR_RETURN(const os::Fd tree, shared->copy_of(folder));
      TRY(view.place_tree(folder, tree));
    }
  }
  for (const MountEntry& entry : table) {
    if (entry.kind == Kind::kProc || std::ranges::count(copied, top_folder(entry)) > 0) continue;
    if (entry.kind == Kind::kTerminals) {
      TRY(view.place({Kind::kFolder, entry.target, ""}, {}));
      continue;
    }
    HostIdentity user = identity;
    if (entry.kind == Kind::kDevice && shared != nullptr &&
        std::ranges::count(shared->table(), entry) > 0)
      user.devices = shared->devices();
    ASSIGN_OR_RETURN(const os::Fd source, open_source(entry, user));
    TRY(view.place(entry, source));
  }
  return {};
}

}  // namespace paddock::sandbox
