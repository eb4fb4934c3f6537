// The quota of the workspace where no kernel mechanism bounds it: what the folder has grown by is
// measured while the command runs and once more when it has ended. Measuring is a process of its
// own, so that a large folder delays neither output nor kill; it starts with the first need.
// While it runs, the file system's free space (two numbers) says whether measuring is due; as
// others free space too, it is never the judge: what counts is measured, every so often and at the
// end. Where the run's cgroup can be frozen, everything inside stands still while it is measured,
// if that much space is gone: nothing can move what is counted away from the count, or hold it up.
// A count that does not come is a hit.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/plan/plan.h"
#include "node-agent/sandbox/result/outcome.h"

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
  // The sandbox's first process, and the cgroup of all.
  void attach(pid_t init, Cgroup& cgroup);

  // To poll for POLLIN; -1 while no answer is due.
  int fd() const { return asked_ ? answers_.read.get() : -1; }
  // Asks if it is time to. Call every 100 ms or so.
  void look(MonoTime now);
  // Whether an answer is overdue.
  std::optional<DiskHit> overdue(MonoTime now) const;
  // Takes an answer, or news of one. Call when fd() is readable.
  std::optional<DiskHit> take(MonoTime now);
  // What stands still because it was to be measured goes on, to its end.
  void let_go_on();
  // When nothing inside is alive any more. Measures in any case.
  std::optional<DiskHit> look_back();

 private:
  struct Answer {
    int failed = 0;
    bool whole = false;  // false: the folder is measured, what has no name is not yet
    DiskUse use;
  };
  struct Space {
    int64_t bytes = 0;
    int64_t files = 0;
    bool counts_files = false;
  };
  // What the file system's free space says of it.
  enum class Growth { kLittle, kUnknown, kMayBeOver, kOverSinceLast };

  DiskWatch(const WorkspaceQuota& quota, bool privileged)
      : quota_(quota), privileged_(privileged) {}
  std::optional<Space> free_space() const;
  Growth growth(const Space& now) const;
  bool ask(MonoTime now, const Space& space, bool still);
  bool start_process();
  [[noreturn]] void measure_for_ever(pid_t launcher);
  void wait_until_still(int file) const;
  Answer measure_folder() const;
  void add_nameless(Answer& answer) const;
  DiskUse counted_from() const;
  std::optional<DiskHit> judge(const Answer& answer) const;

  WorkspaceQuota quota_;
  bool privileged_;
  os::Fd folder_;
  os::Fd user_namespace_;  // in which every folder of the command can be read
  pid_t init_ = -1;
  Cgroup* cgroup_ = nullptr;
  std::optional<DiskUse> before_;  // not measured yet: all is still to be looked at
  Space space_before_;
  DiskUse last_;  // as measured last, and the free space by then
  Space space_at_last_;
  pid_t process_ = -1;
  os::Pipe questions_;
  os::Pipe answers_;
  bool asked_ = false;
  bool still_ = false;  // everything inside was told to stand still
  Space space_asked_;
  MonoTime asked_at_;
  MonoTime due_;  // when the answer, or the news of it, must be there
  MonoTime answered_at_;
  MonoTime rests_until_;
  MonoTime ask_anyway_at_;
};

}  // namespace paddock::sandbox
