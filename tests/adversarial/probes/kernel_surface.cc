// System calls into parts of the kernel that no sandboxed program needs.
#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <time.h>

#include "probe.h"

namespace {

// A read that does not wait tells whether somebody else has read that part of the file.
void ask_what_others_read() {
  constexpr long kDoesNotWait = 8;  // RWF_NOWAIT
  char byte = 0;
  const iovec part{&byte, 1};
  const int file = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
  expect_refused("which parts are in memory",
                 syscall(SYS_preadv2, file, &part, 1L, 0L, 0L, kDoesNotWait));
  if (errno != EOPNOTSUPP) breach("another answer about parts in memory", errno);
  if (syscall(SYS_preadv2, file, &part, 1L, 0L, 0L, 0L) != 1) breach("an honest read", errno);
}

}  // namespace

int main() {
  ask_what_others_read();
  char space[256] = {};
  expect_refused("bpf", syscall(SYS_bpf, 0, space, sizeof space));
  expect_refused("perf_event_open", syscall(SYS_perf_event_open, space, 0, -1, -1, 0));
  expect_refused("userfaultfd", syscall(SYS_userfaultfd, 1));
  expect_refused("io_uring_setup", syscall(SYS_io_uring_setup, 4, space));
  if (errno != ENOSYS) breach("io_uring is known", errno);
  expect_refused("keyctl", syscall(SYS_keyctl, 0, -3, 0));
  expect_refused("add_key", syscall(SYS_add_key, "user", "k", "v", 1, -3));
  expect_refused("request_key", syscall(SYS_request_key, "user", "k", nullptr, -3));
  expect_refused("open_by_handle_at", syscall(SYS_open_by_handle_at, AT_FDCWD, space, 0));
  expect_refused("syslog", syscall(SYS_syslog, 3, space, sizeof space));
  expect_refused("acct", syscall(SYS_acct, nullptr));
  expect_refused("core scheduling", prctl(62 /*PR_SCHED_CORE*/, 1 /*create*/, 0, 0, 0));
  expect_refused("quotactl", syscall(SYS_quotactl, 0, nullptr, 0, nullptr));
  expect_refused("modify_ldt", syscall(SYS_modify_ldt, 0, space, sizeof space));
  expect_refused("personality", syscall(SYS_personality, ADDR_NO_RANDOMIZE));
  expect_refused("personality, upper bits",
                 syscall(SYS_personality, 0x100000000UL | ADDR_NO_RANDOMIZE));
  expect_refused("sethostname", sethostname("x", 1));
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  expect_refused("clock_settime", clock_settime(CLOCK_REALTIME, &now));
  timex change{};
  change.modes = ADJ_OFFSET;
  expect_refused("adjtimex", adjtimex(&change));
  expect_refused("mknod c", mknod("/workspace/c", S_IFCHR | 0666, makedev(1, 1)));
  expect_refused("mknod b", mknod("/workspace/b", S_IFBLK | 0666, makedev(254, 0)));
  expect_refused("mknod, set-id", mknod("/workspace/s", S_IFCHR | S_ISUID | 0666, makedev(1, 1)));
  for (const char* device : {"/dev/kmsg", "/dev/mem", "/dev/vda", "/dev/kvm", "/dev/fuse",
                             "/dev/ttyS0", "/dev/tty", "/dev/console"}) {
    expect_refused(device, open(device, O_RDONLY));
  }
  return verdict();
}
