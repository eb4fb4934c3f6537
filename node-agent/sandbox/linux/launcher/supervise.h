// The supervisor watches one sandbox from its clone until it is reaped: it reads the output,
// answers the command's questions, measures the workspace and what sockets hold, and notes how the
// run ends. All of this happens in one poll loop. Limits and kills must never wait for that loop,
// so they belong to the time keeper.
#pragma once

#include <optional>
#include <vector>

#include "common/base/time.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/linux/launcher/disk_watch.h"
#include "node-agent/sandbox/linux/launcher/exec_host.h"
#include "node-agent/sandbox/linux/launcher/input_feed.h"
#include "node-agent/sandbox/linux/launcher/lock_watch.h"
#include "node-agent/sandbox/linux/launcher/output_relay.h"
#include "node-agent/sandbox/linux/launcher/poll_set.h"
#include "node-agent/sandbox/linux/launcher/shared_memory_watch.h"
#include "node-agent/sandbox/linux/launcher/socket_watch.h"
#include "node-agent/sandbox/linux/launcher/time_keeper.h"
#include "node-agent/sandbox/linux/notify/answerer.h"
#include "node-agent/sandbox/result/event_writer.h"
#include "node-agent/sandbox/result/outcome.h"
#include "node-agent/sandbox/result/outputs.h"

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
  DiskWatch* disk = nullptr;            // none: the workspace has no quota
  SocketWatch* sockets = nullptr;       // none: memory has no limit
  LockWatch* locks = nullptr;           // the same
  SharedMemoryWatch* shared = nullptr;  // none: a cgroup counts the memory
  InputFeed* input = nullptr;           // none: no file is read along
  int signals = -1;                     // a signalfd: the run is to be canceled, by SIGQUIT at once
  int client = -1;                      // of an attached run; see Feed
  bool waits = false;                   // until its client says that it begins
  bool tells_start = true;
  // The run may count as over while its last process is held in its final call: nobody outside can
  // tell such a process from one that has ended.
  bool may_end_early = false;
  ExecHost* execs = nullptr;  // none: no further commands are executed in this run
};

class Supervisor {
 public:
  Supervisor(RunningSandbox sandbox, const Watched& watched, int64_t inline_bytes);
  // Returns when one of these is true:
  // - no process of the run is alive but init, which has nothing left to do;
  // - `may_end_early`, and the command is alone and ends well: it is held in its last system call;
  // - everything was killed, and only the kernel is still busy with the dead.
  // The caller ends what is still there: release() hands it over.
  Outcome run();
  // Hands over what the caller has to end. Call it once, after run().
  RunningSandbox release();

  const Outputs& outputs() const { return relay_.outputs(); }
  void describe_output(contracts::SandboxResult& result) const { relay_.describe(result); }
  std::string sole_broker_user() { return answerer_.found().sole_broker_user(); }
  std::vector<contracts::Denial> take_denials() { return answerer_.found().take_denials(); }
  bool started() const { return keeper_.state().started.has_value(); }
  Millis duration() const;
  bool events_lost() const { return relay_.events_lost(); }

 private:
  void wait_for_something();
  void look_for_the_end();
  int wait_ms() const;
  void handle_control();
  void note_started();
  void look_at_use();
  void handle_disk(std::optional<DiskHit> hit);
  void flush(bool all);
  void reap();
  bool ends_here() const;
  bool only_init_is_left() const;
  bool only_the_kernel_works() const;
  void let_init_go();
  Outcome outcome();

  RunningSandbox sandbox_;
  Watched watched_;
  OutputRelay relay_;
  Answerer answerer_;
  TimeKeeper keeper_;
  MonoTime now_;
  MonoTime next_look_;
  MonoTime next_try_;  // to start the keeper's thread
  std::optional<MonoTime> ended_;
  std::optional<Error> setup_error_;
  std::optional<int> exec_error_;
  std::optional<int> wait_status_;
  ScratchState scratch_;
  std::optional<DiskHit> disk_hit_;
  Millis main_cpu_{0};  // of the command and the children it waited for
  Millis tree_cpu_{0};  // of all that init waited for
  bool reaped_ = false;
  bool over_ = false;  // the command executes nothing any more, though init is still there
};

}  // namespace paddock::sandbox
