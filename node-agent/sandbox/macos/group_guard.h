// Ends a run's process group when its launcher dies, whatever kills that: macOS has neither pid
// namespaces nor a signal at a parent's death. A process of its own that does nothing but wait.
#pragma once

#include <sys/types.h>

#include "common/os/fd.h"

namespace paddock::sandbox {

class GroupGuard {
 public:
  GroupGuard() = default;
  // The group's first process is a child of the caller that is not reaped.
  static Result<GroupGuard> start(pid_t group);
  GroupGuard(GroupGuard&& other) noexcept;
  GroupGuard& operator=(GroupGuard&& other) noexcept;
  ~GroupGuard() { release(); }
  // Lets it go without ending the group: before the first process is reaped, for then the group's
  // number may become somebody else's.
  void release();

 private:
  pid_t pid_ = -1;
  os::Fd tie_;  // its end is the launcher's
};

}  // namespace paddock::sandbox
