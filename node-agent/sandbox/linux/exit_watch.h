// What the command ends with, before it can be waited for: the kernel first takes its memory apart,
// which may take longer than a short program ran.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

#include "common/os/fd.h"

namespace paddock::sandbox {

// The wait status in a line of /proc/PID/stat. Nothing: it has not begun to end, has another
// `parent`, or the line makes no sense.
std::optional<int> status_of_ending(std::string_view line, pid_t parent);

class ExitWatch {
 public:
  ExitWatch() = default;  // knows nothing
  // Of the only child of `init`, which executes by now. It knows nothing where the kernel hides the
  // status of other users' processes from this one.
  explicit ExitWatch(pid_t init);

  std::optional<int> wait_status() const;

 private:
  pid_t init_ = -1;
  os::Fd stat_;  // of this process: never of a later one with its number
};

}  // namespace paddock::sandbox
