// Keeps the quota of the workspace, which no kernel mechanism bounds: the folder is measured while
// the command runs, and once more when it has ended. A process of its own measures, so that a large
// folder delays neither output nor kill; it is started when it is first needed.
//
// The file system's free space (two numbers) tells when to measure. It never decides: others use
// and free space too. If enough space is gone that the quota may be used up, and the run's cgroup
// can be frozen, then the run stands still while it is measured, and can neither hide files from
// the count nor delay it. A count that does not come in time is treated as a quota that is
// exceeded. So is what cannot be counted (files on their way through a socket, or held by a process
// that cannot be looked into) for several seconds, while so much of the free space is gone that the
// quota may be used up.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "common/os/folder_use.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/linux/launcher/disk_doubt.h"
#include "node-agent/sandbox/plan/plan.h"
#include "node-agent/sandbox/result/outcome.h"

namespace paddock::sandbox {

class DiskWatch {
 public:
  ~DiskWatch();
  DiskWatch(const DiskWatch&) = delete;
  DiskWatch& operator=(const DiskWatch&) = delete;

  // Call it before the command starts. It measures what is there already if that matters: if only
  // growth counts, or more than the limits may be there. Else that is left to the first look(), so
  // that a short command need not wait. nullptr if the plan has no quota.
  static Result<std::unique_ptr<DiskWatch>> start(const SandboxPlan& plan);
  // The sandbox's first process, and the cgroup of all.
  void attach(pid_t init, Cgroup& cgroup);

  // Readable when the measuring process has answered; -1 while it was asked nothing.
  int fd() const { return asked_ ? answers_.read.get() : -1; }
  // Asks the measuring process if it is time to. Call it every 100 ms or so.
  void look(MonoTime now);
  // A hit if the answer is overdue.
  std::optional<DiskHit> overdue(MonoTime now) const;
  // Takes an answer or a part of one. Call it when fd() is readable.
  std::optional<DiskHit> take(MonoTime now);
  // Thaws the run if it was frozen to be measured.
  void let_go_on();
  // The last measurement, when no process inside is alive any more.
  std::optional<DiskHit> look_back();

 private:
  struct Answer {
    int failed = 0;
    bool whole = false;      // false: open files that have no name are not counted yet
    bool uncounted = false;  // somebody may hold more of those
    os::FolderUse use;
  };
  struct Space {
    int64_t bytes = 0;
    int64_t files = 0;
    bool counts_files = false;
  };
  // The growth of the folder, as far as the file system's free space shows it.
  enum class Growth { kLittle, kUnknown, kMayBeOver, kOverSinceLast };

  DiskWatch(const WorkspaceQuota& quota, bool privileged)
      : quota_(quota), privileged_(privileged) {}
  Status measure_before();
  std::optional<Space> free_space() const;
  Growth growth(const Space& now) const;
  bool ask(MonoTime now, const Space& space, bool still);
  bool start_process();
  [[noreturn]] void measure_for_ever(pid_t launcher);
  Answer measure_folder() const;
  void add_nameless(Answer& answer) const;
  std::optional<DiskHit> judge(const Answer& answer) const;
  bool may_hide_too_much() const;

  WorkspaceQuota quota_;
  os::FolderUse allowed_;  // what the folder may hold
  bool privileged_;
  os::Fd folder_;
  os::Fd user_namespace_;  // in which every folder of the command can be read
  pid_t init_ = -1;
  Cgroup* cgroup_ = nullptr;
  std::optional<os::FolderUse> before_;  // as measured first; nothing: not measured yet
  Space space_before_;
  os::FolderUse known_;  // when nothing was uncounted last, and the free space then
  Space space_at_known_;
  os::FolderUse last_;  // as measured last, and the free space at that time
  Space space_at_last_;
  pid_t process_ = -1;
  os::Pipe questions_;
  os::Pipe answers_;
  bool asked_ = false;
  bool still_ = false;  // everything inside was told to stand still
  Space space_asked_;
  MonoTime asked_at_;
  MonoTime folder_counted_at_;
  MonoTime due_;  // when the next part of the answer must have come
  MonoTime answered_at_;
  MonoTime rests_until_;
  MonoTime ask_anyway_at_;
  DiskDoubt doubt_;
};

}  // namespace paddock::sandbox
