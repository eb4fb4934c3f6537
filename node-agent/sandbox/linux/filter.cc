#include "node-agent/sandbox/linux/filter.h"

#include <errno.h>
#include <linux/seccomp.h>

#include "node-agent/sandbox/linux/raw.h"

namespace paddock::sandbox {
namespace {

int set_filter(const SeccompProgram& program, unsigned flags) {
  sock_fprog pointer{static_cast<unsigned short>(program.size()),
                     const_cast<sock_filter*>(program.data())};
  return static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &pointer));
}

}  // namespace

Status install_filter(const SeccompProgram& program) {
  if (set_filter(program, 0) != 0) return step_error("installing the system call filter", errno);
  return {};
}

Result<os::Fd> install_asking_filter(const SeccompProgram& program) {
  os::Fd listener(set_filter(program, SECCOMP_FILTER_FLAG_NEW_LISTENER));
  if (!listener.valid()) {
    return step_error("installing the system call filter", errno,
                      "a kernel with seccomp notification (5.5) is needed");
  }
  return listener;
}

}  // namespace paddock::sandbox
