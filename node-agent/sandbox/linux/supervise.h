// Watches one sandbox from clone to reaped: output, limits, cancel, denials. One thread, one poll
// loop.
#pragma once

#include <optional>
#include <vector>

#include "common/base/time.h"
#include "node-agent/sandbox/event_writer.h"
#include "node-agent/sandbox/linux/cgroup.h"
#include "node-agent/sandbox/linux/disk_watch.h"
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
  int signals = -1;            // a signalfd: the run is to be canceled, by SIGQUIT at once
  int client = -1;             // of a fed run; see Feed
  bool waits = false;          // until its client says that it begins
  bool tells_start = true;
  // Nothing outside can tell a process that will execute nothing more from one that has ended.
  bool may_end_early = false;
};

class Supervisor {
 public:
  Supervisor(RunningSandbox sandbox, const Watched& watched, int64_t inline_bytes);
  // Returns once nothing of the run is alive but its init process, which has nothing left to do.
  // Or, if it may, once the command is alone and ends well: it is held at its last call and will
  // execute nothing any more. What is still there is release()'s.
  Outcome run();
  // What is to be ended by the caller. Once, after run().
  RunningSandbox release();

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
  void hear_signal();
  void hear_client();
  void handle_time();
  void handle_disk(std::optional<DiskHit> hit);
  void flush(bool all);
  void end(EndCause cause);
  bool in_grace() const;
  void kill_everything();
  void reap();
  bool ends_here() const;
  bool only_init_is_left() const;
  void let_init_go();
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
  std::optional<int> wait_status_;
  ScratchState scratch_;
  std::optional<DiskHit> disk_hit_;
  Millis main_cpu_{0};  // of the command and the children it waited for
  Millis tree_cpu_{0};  // of all that init waited for
  EndCause cause_ = EndCause::kNone;
  bool told_ = false;  // by SIGTERM
  bool killed_ = false;
  bool reaped_ = false;
  bool over_ = false;  // nothing of the command goes on, though init is there
  bool events_lost_ = false;
};

}  // namespace paddock::sandbox
