// The part of the view that every run sees of the host. A serving launcher makes it once, and each
// run gets copies of whole folders instead of making them anew. Runs share only what is read-only;
// they also share locks on it and watches of it (SECURITY.md).
#pragma once

#include <sys/types.h>
#include <time.h>

#include <optional>
#include <string>
#include <vector>

#include "node-agent/sandbox/linux/filesystem/proc_names.h"
#include "node-agent/sandbox/linux/filesystem/sources.h"
#include "node-agent/sandbox/linux/filesystem/view.h"
#include "node-agent/sandbox/linux/kernel/landlock.h"

namespace paddock::sandbox {

// The share of the machine that a sandbox shows before it has a request: all of it. Most requests
// get just that, so little has to be made anew for one.
MachineShare whole_machine(const HostFacts& host);

class SharedView {
 public:
  // Needs a kernel that mounts on detached trees.
  static Result<SharedView> make(const HostFacts& host);
  // standing_mounts(); the scratch space is each run's own.
  const std::vector<MountEntry>& table() const { return table_; }
  // The Landlock ruleset of a run that sees these mounts and nothing else. Nothing while a standing
  // tool is absent from the host: a run that names it gets an error.
  const std::optional<LandlockRuleset>& landlock() const { return landlock_; }
  // What /proc says about the whole machine.
  const ReadyProcFiles& proc() const { return proc_; }
  // The standing tools and their loaders.
  const OpenFiles& programs() const { return programs_; }
  // Whether the host's folders still hold the same files; see mounts_have_changed() too.
  bool is_current() const;
  // own_devices(), for those of the table.
  int devices() const { return devices_.get(); }
  // Works only in the mount namespace that the view was made in.
  Result<os::Fd> copy_of(const std::string& top_folder) const;

 private:
  // The identity of a file or folder of the host when it was looked at.
  struct FileIdentity {
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
    timespec changed{};  // last
  };
  static std::optional<FileIdentity> see(const std::string& path);
  Status watch(const std::string& source);
  Status watch_for_tools(const RequestFacts& standing);
  Status wall_off(const HostFacts& host);
  SharedView(std::vector<MountEntry> table, View view)
      : table_(std::move(table)), view_(std::move(view)) {}

  std::vector<MountEntry> table_;
  View view_;
  os::Fd devices_ = own_devices();
  ReadyProcFiles proc_;
  std::optional<LandlockRuleset> landlock_;
  OpenFiles programs_;
  std::vector<FileIdentity> sources_;
  std::vector<FileIdentity> folders_;  // in which these lie: if unchanged, no file was replaced
};

// A descriptor that learns of every mount and unmount in this process's mount namespace from now
// on. Asking it resets it, so each asker needs one of its own. Invalid where there is no /proc.
os::Fd watch_mounts();
bool mounts_have_changed(const os::Fd& watch);

// Places the entries of the table in their order, except /proc and the terminals, which only a
// process of the sandbox can make. Whole folders are copied from `shared` if that is not nullptr.
Status place_all(View& view, const std::vector<MountEntry>& table, const HostIdentity& identity,
                 const SharedView* shared);

}  // namespace paddock::sandbox
