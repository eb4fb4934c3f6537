// Watches one sandbox from clone to reaped: output, limits, cancel, denials. One thread, one poll
// loop.
#pragma once

#include <optional>
#include <vector>

#include "common/base/time.h"
#include "node-agent/sandbox/event_writer.h"
#include "node-agent/sandbox/linux/cgroup.h"
#include "node-agent/sandbox/linux/disk_watch.h"
#include "node-agent/sandbox/linux/exit_watch.h"
#include "node-agent/sandbox/linux/input_feed.h"
#include "node-agent/sandbox/linux/notifications.h"
#include "node-agent/sandbox/outcome.h"
#include "node-agent/sandbox/outputs.h"

namespace paddock::sandbox {

// The init process and the launcher's ends of its channels.
struct RunningSandbox {
  pid_t pid = -1;
  os::Fd pidfd;
  os::Fd control;
  os::Fd out;
  os::Fd err;
  os::Fd listener;  // of the command's filter
};

struct Watched {
  const SandboxPlan& plan;
  Cgroup& cgroup;
  EventWriter& events;
  const Clock& clock;
  const LaunchChoices& choices;
  DiskWatch* disk = nullptr;   // none: the workspace has no quota
  InputFeed* input = nullptr;  // none: no file is read along
  int signals = -1;            // readable when the run is to be canceled
  int client = -1;             // of a fed run; see Feed
  bool may_end_early =
      false;  // nothing outside can tell a process that ends from one that has ended
};

class Supervisor {
 public:
  Supervisor(RunningSandbox sandbox, const Watched& watched, int64_t inline_bytes);
  // Returns once the init process is reaped, and so nothing of the run is alive. Or, if it may,
  // once each process of the command has begun to end after its success: none will execute anything
  // any more, and only the kernel's own work is left. Then init is still there; see release().
  Outcome run();
  // What is to be ended by the caller. Once, after run().
  RunningSandbox release() { return std::move(sandbox_); }

  const Outputs& outputs() const { return outputs_; }
  std::string sole_broker_user() const { return notifications_.sole_broker_user(); }
  std::vector<contracts::Denial> take_denials() { return notifications_.take_denials(); }
  bool started() const { return started_.has_value(); }
  Millis duration() const { return started_ && ended_ ? *ended_ - *started_ : Millis(0); }
  bool events_lost() const { return events_lost_; }

 private:
  void wait_for_something();
  int wait_ms() const;
  void handle_control();
  void note_started();
  void hear_client();
  void handle_time();
  void handle_disk(std::optional<DiskHit> hit);
  void flush(bool all);
  void end(EndCause cause);
  void kill_everything();
  void reap();
  void look_for_success();
  Outcome outcome();

  RunningSandbox sandbox_;
  Watched watched_;
  Outputs outputs_;
  Notifications notifications_;
  MonoTime now_;
  MonoTime setup_deadline_;
  MonoTime next_check_;
  std::optional<MonoTime> kill_at_;  // the grace ends, or a crowd is killed once more
  std::optional<MonoTime> started_;
  bool waits_ = false;  // a fed run that has not begun
  std::optional<MonoTime> wall_end_;
  std::optional<MonoTime> ended_;
  std::optional<Error> setup_error_;
  std::optional<int> exec_error_;
  ExitWatch exit_;
  std::optional<int> wait_status_;
  ScratchState scratch_;
  std::optional<DiskHit> disk_hit_;
  Millis main_cpu_{0};  // of the command and the children it waited for
  Millis tree_cpu_{0};  // of all that init waited for
  EndCause cause_ = EndCause::kNone;
  bool killed_ = false;
  bool reaped_ = false;
  bool succeeded_ = false;  // nothing of the command goes on, though init is there
  bool events_lost_ = false;
};

}  // namespace paddock::sandbox
