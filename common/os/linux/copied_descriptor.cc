#include "common/os/copied_descriptor.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace paddock::os {
namespace {

constexpr unsigned kOfThread = O_EXCL;  // PIDFD_THREAD, Linux 6.9

}  // namespace

Fd copied_descriptor(pid_t pid, int descriptor) {
  Fd process(static_cast<int>(syscall(SYS_pidfd_open, pid, kOfThread)));
  if (!process.valid()) process.reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.valid()) return {};
  return Fd(static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), descriptor, 0)));
}

}  // namespace paddock::os
