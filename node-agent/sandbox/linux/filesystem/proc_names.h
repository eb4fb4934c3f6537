// A sandbox's /proc lists its processes and, under names that programs ask for, files of our own:
// see plan/proc_contents.h for what they say.
//
// A /proc that lists processes only (subset=pid) lacks these names, and nothing can be mounted on a
// name that is not there. So the /proc is whole at first, the files are mounted on their names, and
// then it is changed to list processes only. From then on the kernel finds no other name in it, not
// even one that a module adds later. The covered names are still found, because the mounts keep
// them alive, and they lead to our files. The alternative, a whole /proc in which every name that
// tells something is covered, would have to know all such names. All of this happens before the
// command is executed.
//
// Most of these files say the same to every run, and to make them costs more than to mount them. So
// a serving launcher makes them once (ReadyProcFiles), and a run makes those that are its own
// (plan/proc_covers.h).
#pragma once

#include <string>
#include <vector>

#include "common/os/fd.h"
#include "node-agent/sandbox/plan/proc_contents.h"

namespace paddock::sandbox {

// Read-only files for all runs of a launcher.
class ReadyProcFiles {
 public:
  ReadyProcFiles() = default;  // none
  // Needs a kernel that mounts on detached trees.
  static Result<ReadyProcFiles> make(std::vector<ProcFile> table);
  const std::vector<ProcFile>& table() const { return table_; }
  const os::Fd& mount() const { return mount_; }

 private:
  os::Fd mount_;
  std::vector<ProcFile> table_;
};

class ProcNames {
 public:
  ProcNames() = default;  // none are shown
  // Mounts the files in the /proc below `view`. The caller must have the capabilities of the view's
  // owner. `detached`: this kernel mounts on detached trees; else a folder in the view helps out.
  // `ready` must outlive the names; nullptr: the run makes all by itself.
  static Result<ProcNames> show(int view, bool detached, const std::vector<ProcFile>& files,
                                const ReadyProcFiles* ready = nullptr);
  bool shown() const { return files_.valid(); }
  // Makes anew what differs for a run that is known only now.
  Status rewrite(const std::vector<ProcFile>& files);

 private:
  bool is_own(std::string_view cover) const;
  std::vector<std::string> take_own(const std::vector<std::string>& covers,
                                    const std::vector<ProcFile>& table);
  std::vector<ProcFile> own_of(const std::vector<ProcFile>& table) const;
  Status write(std::vector<ProcFile> table);
  Status put_own(const std::string& cover) const;
  Status put_all(const std::vector<std::string>& covers);

  os::Fd proc_;
  os::Fd files_;  // the one mount of the run's own that may be written; it is attached nowhere
  const ReadyProcFiles* ready_ = nullptr;
  std::vector<std::string> own_;  // covers whose files are the run's own; unused without `ready_`
  std::vector<ProcFile> written_;
};

}  // namespace paddock::sandbox
