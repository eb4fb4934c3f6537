#include "common/os/copied_descriptor.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace paddock::os {
namespace {

constexpr unsigned kOfThread = O_EXCL;  // PIDFD_THREAD, Linux 6.9

}  // namespace

Fd descriptors_of(pid_t pid) {
  Fd process(static_cast<int>(syscall(SYS_pidfd_open, pid, kOfThread)));
  if (!process.valid()) process.reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  return process;
}

Fd copied_descriptor(const Fd& process, int descriptor) {
  return Fd(static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), descriptor, 0)));
}

}  // namespace paddock::os
