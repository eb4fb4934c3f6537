// Wants the processor, and the disk, before everybody else.
#include <sched.h>
#include <sys/resource.h>

#include "probe.h"

int main() {
  expect_refused("nice -20", setpriority(PRIO_PROCESS, 0, -20));
  for (int policy : {SCHED_FIFO, SCHED_RR}) {
    const sched_param most{99};
    expect_refused("a real-time policy", sched_setscheduler(0, policy, &most));
  }
  struct {
    unsigned size = 48, policy = 6;
    unsigned long flags = 0;
    int nice = 0;
    unsigned priority = 0;
    unsigned long runtime = 10'000'000, deadline = 20'000'000, period = 20'000'000;
  } deadline;
  expect_refused("a deadline", syscall(SYS_sched_setattr, 0, &deadline, 0));
  constexpr int kRealTime = 1 << 13;
  expect_refused("first at the disk", syscall(SYS_ioprio_set, 1, 0, kRealTime));
  struct rlimit more {};
  more.rlim_cur = more.rlim_max = 99;
  expect_refused("a higher limit of priority", setrlimit(RLIMIT_RTPRIO, &more));
  return verdict();
}
