// What /proc and /sys would give away or let change.
#include <fcntl.h>

#include "probe.h"

int main() {
  const char* files[] = {"/proc/sys/kernel/core_pattern",
                         "/proc/sysrq-trigger",
                         "/proc/kcore",
                         "/proc/keys",
                         "/proc/kallsyms",
                         "/proc/kmsg",
                         "/proc/sys/kernel/randomize_va_space",
                         "/proc/sys/kernel/random/write_wakeup_threshold",
                         "/proc/sys/kernel/random/urandom_min_reseed_secs",
                         "/proc/sys/user/max_user_namespaces",
                         "/proc/sys/net/ipv4/ip_forward",
                         "/proc/config.gz",
                         "/proc/timer_list",
                         "/proc/interrupts",
                         "/proc/cmdline",
                         "/proc/modules",
                         "/proc/acpi",
                         "/proc/scsi",
                         "/proc/irq",
                         "/proc/bus",
                         "/sys/kernel/debug",
                         "/proc/devices",
                         "/proc/driver",
                         "/proc/fs",
                         "/proc/tty",
                         "/proc/zoneinfo",
                         "/proc/kpagecount",
                         "/sys/kernel/mm",
                         "/sys/fs/cgroup",
                         "/sys/class",
                         "/sys/devices/virtual",
                         "/sys/devices/system/node",
                         "/sys/devices/system/cpu/vulnerabilities"};
  for (const char* file : files) {
    for (const int flags : {O_RDONLY, O_WRONLY}) expect_refused(file, open(file, flags));
  }
  const int score = open("/proc/self/oom_score_adj", O_WRONLY);
  if (score >= 0) expect_refused("a lower oom_score_adj", write(score, "-1000", 5));
  for (const char* map : {"/proc/self/uid_map", "/proc/self/gid_map", "/proc/self/setgroups"}) {
    const int fd = open(map, O_WRONLY);
    if (fd >= 0) expect_refused(map, write(fd, "0 0 1", 5));
  }
  // Own processes only: with one process there is nothing else to see.
  for (int pid = 1; pid < 40000; ++pid) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/status", pid);
    if (pid != getpid() && access(path, F_OK) == 0) breach("another process is visible", pid);
  }
  return verdict();
}
