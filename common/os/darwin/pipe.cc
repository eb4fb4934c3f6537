// Pipes that are close-on-exec. macOS has no pipe2(), so for a moment a pipe is not; no child
// inherits it, because spawn() closes all descriptors that it was not told to keep.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/os/fd.h"

namespace paddock::os {

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) return system_error("making a pipe", errno);
  Pipe out{Fd(ends[0]), Fd(ends[1])};
  for (const int end : ends) {
    if (::fcntl(end, F_SETFD, FD_CLOEXEC) != 0) return system_error("making a pipe", errno);
  }
  return out;
}

}  // namespace paddock::os
