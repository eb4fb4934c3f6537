#include "node-agent/sandbox/linux/seccomp/broker_filter.h"

#include <errno.h>
#include <sys/socket.h>

#include <memory>

#include <seccomp.h>

#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

struct Release {
  void operator()(void* context) const { seccomp_release(context); }
};

constexpr int kAllowed[] = {
    SCMP_SYS(accept4),        SCMP_SYS(connect),      SCMP_SYS(getsockname),
    SCMP_SYS(getsockopt),     SCMP_SYS(setsockopt),   SCMP_SYS(shutdown),
    SCMP_SYS(recvfrom),       SCMP_SYS(recvmsg),      SCMP_SYS(sendto),
    SCMP_SYS(close),          SCMP_SYS(read),         SCMP_SYS(write),
    SCMP_SYS(epoll_ctl),      SCMP_SYS(epoll_wait),   SCMP_SYS(epoll_pwait),
    SCMP_SYS(poll),           SCMP_SYS(getrandom),    SCMP_SYS(brk),
    SCMP_SYS(mmap),           SCMP_SYS(munmap),       SCMP_SYS(mremap),
    SCMP_SYS(madvise),        SCMP_SYS(mprotect),     SCMP_SYS(futex),
    SCMP_SYS(rt_sigreturn),   SCMP_SYS(exit_group),   SCMP_SYS(exit),
    SCMP_SYS(clock_gettime),  SCMP_SYS(gettimeofday), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(restart_syscall)};

}  // namespace

Status keep_to_sockets() {
  const std::unique_ptr<void, Release> context(seccomp_init(SCMP_ACT_KILL_PROCESS));
  if (!context) return step_error("the broker's system call filter", ENOMEM);
  int error = 0;
  for (const int call : kAllowed) {
    if (error == 0) error = seccomp_rule_add_array(context.get(), SCMP_ACT_ALLOW, call, 0, nullptr);
  }
  for (const int family : {AF_INET, AF_INET6}) {
    const scmp_arg_cmp is_family{0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(family), 0};
    if (error == 0)
      error =
          seccomp_rule_add_array(context.get(), SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, &is_family);
  }
  if (error == 0) error = seccomp_load(context.get());
  if (error != 0) return step_error("the broker's system call filter", -error);
  return {};
}

}  // namespace paddock::sandbox
