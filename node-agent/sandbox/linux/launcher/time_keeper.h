// The time keeper ends one run: at a limit of time, at one that its cgroup counts, or when somebody
// cancels it. It never reads the command's memory, waits for one of its locks, drains its output or
// writes to a disk, so the command cannot delay its own end. A short run has no thread for this:
// the supervisor calls the keeper itself until it starts that thread. Thread-safe, unless a call
// says otherwise.
#pragma once

#include <poll.h>
#include <pthread.h>

#include <array>
#include <mutex>
#include <optional>

#include "common/base/suspension.h"
#include "common/base/time.h"
#include "common/os/event.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/plan/plan.h"
#include "node-agent/sandbox/result/outcome.h"

namespace paddock::sandbox {

// The objects that the keeper works with. All of them must outlive it.
struct Timed {
  const SandboxPlan& plan;
  Cgroup& cgroup;
  const Clock& clock;
  int init = -1;       // a pidfd of the sandbox's first process
  int signals = -1;    // a signalfd: the run is to be canceled, by SIGQUIT at once
  int client = -1;     // of an attached run; see Feed
  int reader = -1;     // where the end of the events' reader can be seen; -1: it cannot
  bool waits = false;  // the run begins only when its client says so
};

class TimeKeeper {
 public:
  explicit TimeKeeper(const Timed& timed);
  ~TimeKeeper() { stop(); }
  TimeKeeper(const TimeKeeper&) = delete;
  TimeKeeper& operator=(const TimeKeeper&) = delete;

  // While there is no thread, the supervisor polls these and passes them to handle(). With a
  // thread, all three are -1.
  using Awaited = std::array<pollfd, 3>;
  Awaited waits_for() const;
  std::optional<MonoTime> next() const;
  void handle(const Awaited& seen, MonoTime now);

  // Starts the keeper's thread. If the host has no thread to give, nothing changes.
  void start_thread();
  bool has_thread() const { return has_thread_; }
  // Ends the thread. Call it before anything that the keeper watches goes away; no limit is kept
  // afterwards.
  void stop();

  // The command was executed. Returns false if it is to end already.
  bool note_started(MonoTime now);
  // The command has ended; the processes that it left behind are about to end.
  void note_ended(MonoTime now);
  // Ends the run for this cause. The first cause counts, and a later one does not prolong its
  // grace.
  void end(EndCause cause, MonoTime now);

  struct State {
    EndCause cause = EndCause::kNone;
    bool late = false;                // setting up took too long
    bool waits = false;               // an attached run that has not begun
    std::optional<MonoTime> started;  // an attached run starts when its client says so
    std::optional<MonoTime> killed;   // when SIGKILL was sent for the first time
  };
  State state() const;

 private:
  static void* keep(void* self);
  void keep_time();
  void handle_locked(const Awaited& seen, MonoTime now);
  std::optional<MonoTime> next_locked() const;
  void look(MonoTime now);
  void begin_wall_time(Millis limit);
  void look_at_wall_time(MonoTime now);
  void look_at_counts();
  void hear_signal();
  void hear_client();
  void hear_reader();
  void note_cause(EndCause cause);
  void end_now(EndCause cause);
  void kill_everything();
  bool in_grace() const;
  void wake() const;

  const Timed timed_;
  pthread_t thread_{};
  bool has_thread_ = false;
  std::optional<os::Event> wake_;  // with a thread

  mutable std::mutex lock_;  // protects everything below; never held during a wait
  Awaited awaited_;
  MonoTime now_;
  MonoTime setup_deadline_;
  MonoTime next_check_;
  State state_;
  std::optional<MonoTime> kill_at_;        // when the grace ends, or the next kill is due
  std::optional<LivedDeadline> wall_end_;  // what stood still with its keeper gets its time back
  MonoTime next_wall_look_;
  bool ended_ = false;  // the command has ended
  bool told_ = false;   // SIGTERM was sent
  bool stop_ = false;
};

}  // namespace paddock::sandbox
