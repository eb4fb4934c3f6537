#include "node-agent/sandbox/linux/seccomp/filter.h"

#include <errno.h>
#include <linux/seccomp.h>

#include "common/base/random.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

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
  // Once a question was taken, only a deadly signal takes its asker away: a program that lives on
  // timer signals would else ask the same for ever. Linux 5.19.
  constexpr unsigned kWaitKillable = 1u << 5;
  os::Fd listener(set_filter(program, SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable));
  if (!listener.valid() && errno == EINVAL)
    listener.reset(set_filter(program, SECCOMP_FILTER_FLAG_NEW_LISTENER));
  if (!listener.valid()) {
    return step_error("installing the system call filter", errno,
                      "a kernel with seccomp notification (5.5) is needed");
  }
  return listener;
}

uint32_t random_pass() {
  SystemRandom random;
  return static_cast<uint32_t>(random.below(~0u)) + 1;
}

}  // namespace paddock::sandbox
