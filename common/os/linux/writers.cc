#include "common/os/writers.h"

#include <fcntl.h>

#include <cerrno>
#include <csignal>

namespace paddock::os {

// The kernel grants a read lease only while no descriptor of the file is open for writing. The
// lease is given back at once. If another process opens the file in between, the kernel signals us:
// with SIGURG, which is ignored by default, and not with SIGIO, which would end this process.
std::optional<bool> has_writers(int fd) {
  if (::fcntl(fd, F_SETSIG, SIGURG) != 0) return std::nullopt;
  if (::fcntl(fd, F_SETLEASE, F_RDLCK) != 0) {
    return errno == EAGAIN ? std::optional(true) : std::nullopt;
  }
  (void)::fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
}

}  // namespace paddock::os
