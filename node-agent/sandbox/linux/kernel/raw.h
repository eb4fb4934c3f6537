// System calls that the C library does not wrap. Each returns what the kernel does, with errno set.
#pragma once

#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "common/base/error.h"
#include "common/base/text.h"

namespace paddock::sandbox::raw {

// Like fork(): the child continues with a copy of this memory. Only for single-threaded callers.
inline pid_t clone_process(uint64_t flags, int* pidfd, int cgroup_fd = -1) {
  clone_args arguments{};
  arguments.flags = flags | uint64_t{CLONE_PIDFD};
  arguments.pidfd = reinterpret_cast<__u64>(pidfd);
  arguments.exit_signal = SIGCHLD;
  if (cgroup_fd >= 0) {
    arguments.flags |= uint64_t{CLONE_INTO_CGROUP};
    arguments.cgroup = static_cast<__u64>(cgroup_fd);
  }
  return static_cast<pid_t>(syscall(SYS_clone3, &arguments, sizeof arguments));
}
inline int pidfd_send_signal(int pidfd, int signal) {
  return static_cast<int>(syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0));
}
inline int pivot_root(const char* new_root, const char* put_old) {
  return static_cast<int>(syscall(SYS_pivot_root, new_root, put_old));
}
inline int close_range(unsigned first, unsigned last) {
  return static_cast<int>(syscall(SYS_close_range, first, last, 0));
}
inline int openat2(int folder, const char* path, uint64_t flags, uint64_t resolve) {
  open_how how{};
  how.flags = flags;
  how.resolve = resolve;
  return static_cast<int>(syscall(SYS_openat2, folder, path, &how, sizeof how));
}

}  // namespace paddock::sandbox::raw

namespace paddock::sandbox {

// A step of the launch that the kernel refused, with what an operator can do about it.
inline Error step_error(std::string_view step, int errno_value, std::string_view remedy = {}) {
  Error error = system_error(step, errno_value);
  if (!remedy.empty()) error.message += cat("; ", remedy);
  return error;
}

}  // namespace paddock::sandbox
