// Kills a run's process group when its launcher dies for whatever reason: macOS has neither pid
// namespaces nor a signal at a parent's death. The guard is a process that does nothing but wait.
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
  // Ends the guard and leaves the group alive. Call it before the first process is reaped, because
  // the group's number may belong to somebody else afterwards.
  void release();

 private:
  pid_t pid_ = -1;
  os::Fd tie_;  // it closes when the launcher dies, which the guard sees
};

}  // namespace paddock::sandbox
