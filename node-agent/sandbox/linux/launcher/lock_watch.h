// Bounds what a run holds of the kernel's memory that no cgroup counts: locks on ranges of files
// (fcntl), of which one process can have millions, and what is kept for open folders. The host's
// memory for small things of the kernel (one number) tells when to count. It never decides alone:
// others take and free of it too. A process of the launcher's
// counts while the run goes on, so that a neighbour who makes that number grow costs the run no
// time. A count that does not come in time says nothing, and is made again.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/result/outcome.h"

namespace paddock::sandbox {

class LockWatch {
 public:
  // `init`: the sandbox's first process, whose command has not started yet. `folder_bytes`: what
  // may be kept for open folders.
  LockWatch(pid_t init, const Cgroup& cgroup, bool privileged, int64_t folder_bytes);
  ~LockWatch();
  LockWatch(const LockWatch&) = delete;
  LockWatch& operator=(const LockWatch&) = delete;

  // The command starts now.
  void begin();
  // Readable when there is an answer; -1: nothing was asked.
  int fd() const { return answer_.get(); }
  // Counts if it is time to. Call it every 100 ms or so.
  void look(MonoTime now);
  // Of what there is too much; kNone: of nothing. Call it when fd() is readable.
  EndCause take(MonoTime now);

 private:
  struct Use {
    int64_t kernel_kib = 0;  // of the host
    Millis cpu{0};           // of the run
  };
  std::optional<Use> suspicious_use();
  bool may_hold_folders() const;
  bool ask();
  [[noreturn]] void count_and_end(int answer, pid_t launcher) const;
  void give_up(MonoTime now);
  void end_process();

  pid_t init_;
  const Cgroup& cgroup_;
  int64_t folder_bytes_;
  os::Fd user_namespace_;  // in which an ordinary user's launcher may look at the command
  os::Fd memory_;          // /proc/meminfo
  Use counted_;            // when it was counted last; the memory is the least since then
  Use asked_;
  int64_t least_kib_ = 0;      // of the host since the command started
  bool folders_over_ = false;  // in the last count
  pid_t process_ = -1;
  os::Fd answer_;
  MonoTime asked_at_;
  MonoTime rests_until_;
};

}  // namespace paddock::sandbox
