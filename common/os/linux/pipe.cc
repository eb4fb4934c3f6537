// Pipes that are close-on-exec from the first moment (pipe2 is not in every POSIX system).
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/os/fd.h"

namespace paddock::os {

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error("making a pipe", errno);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

}  // namespace paddock::os
