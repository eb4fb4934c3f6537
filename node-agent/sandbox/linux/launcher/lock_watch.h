// Bounds the locks on ranges of files (fcntl) that a run holds: no cgroup counts them, and one
// process can have millions. The host's memory for small things of the kernel (one number) tells
// when to count. It never decides: others take and free of it too. The run stands still while a
// process of the launcher's counts, if its cgroup can be frozen. A count that does not come in time
// is treated as one that is too high.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"

namespace paddock::sandbox {

class LockWatch {
 public:
  // `init`: the sandbox's first process, whose command has not started yet.
  LockWatch(pid_t init, Cgroup& cgroup, bool privileged);
  ~LockWatch();
  LockWatch(const LockWatch&) = delete;
  LockWatch& operator=(const LockWatch&) = delete;

  // The command starts now.
  void begin();
  // Readable when there is an answer; -1: nothing was asked.
  int fd() const { return answer_.get(); }
  bool counts() const { return answer_.valid(); }
  // Counts if it is time to. Call it every 100 ms or so.
  void look(MonoTime now);
  bool is_overdue(MonoTime now) const { return counts() && now >= due_; }
  // Whether there are too many. Call it when fd() is readable.
  bool take(MonoTime now);
  // Thaws the run if it was frozen to be counted.
  void let_go_on();

 private:
  bool is_suspicious();
  bool ask();
  [[noreturn]] void count_and_end(int answer, pid_t launcher) const;
  void end_process();

  pid_t init_;
  Cgroup& cgroup_;
  os::Fd user_namespace_;  // in which an ordinary user's launcher may look at the command
  os::Fd memory_;          // /proc/meminfo
  int64_t lowest_ = 0;     // of the kernel's memory since the last count, in KiB
  Millis cpu_at_last_{};   // what the run had computed then
  pid_t process_ = -1;
  os::Fd answer_;
  bool still_ = false;
  MonoTime asked_at_;
  MonoTime due_;
  MonoTime rests_until_;
};

}  // namespace paddock::sandbox
