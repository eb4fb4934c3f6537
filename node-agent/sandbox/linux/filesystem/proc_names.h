// What a sandbox's /proc has beside processes: files of our own under the names that programs ask
// for, see machine_facts.h.
//
// A /proc that lists processes only (subset=pid) has no such names, and nothing can be mounted on
// what is not there. So it is whole when it is made, the files are mounted on their names, and then
// it is told to list processes only. From then on the kernel finds no other name in it, today's or
// one that a module brings tomorrow: what is covered is found because a mount keeps its name alive,
// and leads to our file. The alternative, a whole /proc with a cover on each name that would tell
// something, would have to know them all. All this is over before the command is executed.
#pragma once

#include <vector>

#include "common/os/fd.h"
#include "node-agent/sandbox/plan/machine_facts.h"

namespace paddock::sandbox {

class ProcNames {
 public:
  ProcNames() = default;  // none are shown
  // In the /proc below `view`, whose owner's capabilities the caller has. `detached`: this kernel
  // mounts on detached trees, so that nothing else is made in the view on the way.
  static Result<ProcNames> show(int view, bool detached, const std::vector<ProcFile>& files);
  bool shown() const { return files_.valid(); }
  // Those of the run that is known now: what differs is made anew.
  Status rewrite(std::vector<ProcFile> files);

 private:
  os::Fd files_;  // the one mount of them that may be written; it is attached nowhere
  std::vector<ProcFile> written_;
};

}  // namespace paddock::sandbox
