// Builds the file system that a command will see: a small root in memory, into which the entries of
// the mount table are placed. The tree is in no mount namespace, so the kernel lists none of its
// mounts, and /proc/self/mountinfo tells the command no path of the host. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/os/fd.h"
#include "node-agent/sandbox/plan/mount_table.h"

namespace paddock::sandbox {

class View {
 public:
  // `detached`: this kernel mounts on detached trees (6.15). Without, the root is first attached
  // over a folder of the host, for which the caller must be alone in its mount namespace.
  static Result<View> make(bool detached);
  // Sets the owner of files with secrets. Without this call it is the caller.
  void own_secrets(uid_t uid, gid_t gid) { secrets_owner_ = {uid, gid}; }

  // `source`: the detached mount of an entry that has one. A /proc and terminals are
  // the caller's own.
  // What an entry covers must be there before it. A scratch space that is there gets another size.
  Status place(const MountEntry& entry, const os::Fd& source);
  // A tree with everything below it, at a folder of the root.
  Status place_tree(std::string_view path, const os::Fd& tree);
  // Makes the root read-only and returns it. Call it when everything is in place.
  Result<os::Fd> finish();
  // The root before finish(). What is placed later appears there too, if the tree is detached.
  int root() const { return root_.get(); }

 private:
  struct Folder {
    std::string path;
    os::Fd fd;
    bool ours = false;  // of the root or a cover, and not of what is mounted
  };

  struct Cover {
    std::string path;
    os::Fd mount;
  };

  View(os::Fd root, bool detached);
  Result<os::Fd> folder(std::string_view path);
  Result<os::Fd> file(std::string_view path);
  Status write_file(std::string_view path, std::string_view content, mode_t mode = 0444);
  Status write_secret(std::string_view path, std::string_view content);
  Status link(std::string_view path, const std::string& to);
  Status cover(std::string_view path);
  Status place_source(const MountEntry& entry, const os::Fd& source);
  Status place_scratch(const MountEntry& entry);
  Status place_loader(const MountEntry& entry, const os::Fd& content);
  Status resize_scratch(const MountEntry& entry);
  Status remove_staging();
  Result<const Folder*> parent(std::string_view path);
  void forget_below(std::string_view path);
  bool is_ours(const os::Fd& fd) const;
  void add_device(const os::Fd& fd);

  os::Fd root_;
  bool detached_;
  Folder last_;  // kept for the next entry: most are neighbours
  std::vector<Cover> covers_;
  os::Fd scratch_;  // of a detached one: its own root, mounted nowhere
  std::optional<std::pair<uid_t, gid_t>> secrets_owner_;
  std::vector<dev_t> devices_;  // of what is made here: the root and the covers
};

}  // namespace paddock::sandbox
