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
#pragma once

#include <vector>

#include "common/os/fd.h"
#include "node-agent/sandbox/plan/proc_contents.h"

namespace paddock::sandbox {

class ProcNames {
 public:
  ProcNames() = default;  // none are shown
  // Mounts the files in the /proc below `view`. The caller must have the capabilities of the view's
  // owner. `detached`: this kernel mounts on detached trees; else a folder in the view helps out.
  static Result<ProcNames> show(int view, bool detached, const std::vector<ProcFile>& files);
  bool shown() const { return files_.valid(); }
  // Rewrites the files that differ for a run that is known only now.
  Status rewrite(std::vector<ProcFile> files);

 private:
  os::Fd files_;  // the one mount of them that may be written; it is attached nowhere
  std::vector<ProcFile> written_;
};

}  // namespace paddock::sandbox
