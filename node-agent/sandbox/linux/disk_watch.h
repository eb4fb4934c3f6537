// The quota of the workspace where no kernel mechanism bounds it: what the folder has grown by is
// measured while the command runs and once more when it has ended. Measuring is a process of its
// own, so that a large folder delays neither output nor kill; it starts with the first need.
// While it runs, the file system's free space (two numbers) says whether measuring is due; as
// others free space too, it is never the judge: what counts is measured, every so often and at the
// end.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/outcome.h"
#include "node-agent/sandbox/plan.h"

namespace paddock::sandbox {

class DiskWatch {
 public:
  ~DiskWatch();
  DiskWatch(const DiskWatch&) = delete;
  DiskWatch& operator=(const DiskWatch&) = delete;

  // Before the command. What is there by then is measured if only growth counts: of a quota of the
  // whole folder it is at the first look, and a short command does not wait for it. Nothing if the
  // plan has no quota.
  static Result<std::unique_ptr<DiskWatch>> start(const SandboxPlan& plan);
  // The sandbox's first process.
  void attach(pid_t init);

  // To poll for POLLIN; -1 while no answer is due.
  int fd() const { return asked_ ? answers_.read.get() : -1; }
  // Asks if it is time to. Call every 100 ms or so.
  void look(MonoTime now);
  // Takes an answer. Call when fd() is readable.
  std::optional<DiskHit> take(MonoTime now);
  // When nothing inside is alive any more. Measures in any case.
  std::optional<DiskHit> look_back();

 private:
  struct Answer {
    int failed = 0;
    DiskUse use;
  };
  DiskWatch(const WorkspaceQuota& quota, bool privileged)
      : quota_(quota), privileged_(privileged) {}
  bool note_free_space();
  bool may_be_over() const;
  bool ask();
  bool start_process();
  [[noreturn]] void measure_for_ever(pid_t launcher);
  Answer measure() const;
  DiskUse counted_from() const;
  std::optional<DiskHit> judge(const Answer& answer) const;

  WorkspaceQuota quota_;
  bool privileged_;
  os::Fd folder_;
  os::Fd user_namespace_;  // in which every folder of the command can be read
  pid_t init_ = -1;
  std::optional<DiskUse> before_;  // not measured yet: all is still to be looked at
  uint64_t free_blocks_before_ = 0;
  uint64_t free_files_before_ = 0;
  pid_t process_ = -1;
  os::Pipe questions_;
  os::Pipe answers_;
  bool asked_ = false;
  MonoTime asked_at_;
  MonoTime rests_until_;
  MonoTime ask_anyway_at_;
};

}  // namespace paddock::sandbox
