#include "common/os/writers.h"

#include <fcntl.h>

#include <cerrno>
#include <csignal>

namespace paddock::os {

// A read lease is granted only while nobody can write. It is given back at once. Whoever opens the
// file in between makes the kernel signal us: by one that nobody hears, instead of SIGIO, which
// would end this process.
std::optional<bool> has_writers(int fd) {
  if (::fcntl(fd, F_SETSIG, SIGURG) != 0) return std::nullopt;
  if (::fcntl(fd, F_SETLEASE, F_RDLCK) != 0) {
    return errno == EAGAIN ? std::optional(true) : std::nullopt;
  }
  (void)::fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
}

}  // namespace paddock::os
