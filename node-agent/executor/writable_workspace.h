// The workspace of a run that runs, for one who puts files into it as the run itself could.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "common/os/fd.h"

namespace paddock::executor {

struct WritableWorkspace {
  os::Fd root;
  std::optional<uid_t> user = {};          // of the host; none: as we are
  std::optional<int64_t> bytes_left = {};  // of its limits; none: it has none
  std::optional<int64_t> files_left = {};
  os::Fd measured = {};  // where these are counted, if not in the root: the run's own layer
  // To be told what was put there.
  std::function<void(int64_t bytes, int64_t files)> wrote = {};
};

}  // namespace paddock::executor
