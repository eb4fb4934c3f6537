// Keeps the time of one run: its limits, its cancel, what its cgroup counts, and the kill. Nothing
// here reads what belongs to the command, waits for one of its locks, drains its output or writes
// to a disk, so nothing of these can put off an end. The supervisor calls it itself until it starts
// the keeper's thread: a short run has none. Thread-safe, but for the calls that say otherwise.
#pragma once

#include <poll.h>
#include <pthread.h>

#include <array>
#include <mutex>
#include <optional>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"
#include "node-agent/sandbox/plan/plan.h"
#include "node-agent/sandbox/result/outcome.h"

namespace paddock::sandbox {

// All of it outlives the keeper.
struct Timed {
  const SandboxPlan& plan;
  Cgroup& cgroup;
  const Clock& clock;
  int init = -1;     // a pidfd of the sandbox's first process
  int signals = -1;  // a signalfd: the run is to be canceled, by SIGQUIT at once
  int client = -1;   // of a fed run; see Feed
  int reader = -1;   // whoever reads the events, if its end can be seen: nobody else is told of it
  bool waits = false;  // until its client says that it begins
};

class TimeKeeper {
 public:
  explicit TimeKeeper(const Timed& timed);
  ~TimeKeeper() { stop(); }
  TimeKeeper(const TimeKeeper&) = delete;
  TimeKeeper& operator=(const TimeKeeper&) = delete;

  // What the supervisor waits for and hands over while there is no thread; with one, nothing.
  using Awaited = std::array<pollfd, 3>;
  Awaited waits_for() const;
  std::optional<MonoTime> next() const;
  void handle(const Awaited& seen, MonoTime now);

  // Once the command may do harm. Where there is none to be had, all stays as it was.
  void start_thread();
  bool has_thread() const { return has_thread_; }
  // Before what it watches goes away. From then on nothing is timed.
  void stop();

  // The command runs; false if it is to end already.
  bool note_started(MonoTime now);
  // The command has ended; what it left behind is about to.
  void note_ended(MonoTime now);
  // The first cause stays, and with it its grace: a second one does not prolong it.
  void end(EndCause cause, MonoTime now);

  struct State {
    EndCause cause = EndCause::kNone;
    bool late = false;                // setting up took too long
    bool waits = false;               // a fed run that has not begun
    std::optional<MonoTime> started;  // of a fed run: when it began
    std::optional<MonoTime> killed;   // since when nothing inside may go on
  };
  State state() const;

 private:
  static void* keep(void* self);
  void keep_time();
  void handle_locked(const Awaited& seen, MonoTime now);
  std::optional<MonoTime> next_locked() const;
  void look(MonoTime now);
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
  os::Fd wake_;  // an eventfd; with a thread

  mutable std::mutex lock_;  // of all below; nobody waits while holding it
  Awaited awaited_;
  MonoTime now_;
  MonoTime setup_deadline_;
  MonoTime next_check_;
  State state_;
  std::optional<MonoTime> kill_at_;  // the grace ends, or a crowd is killed once more
  std::optional<MonoTime> wall_end_;
  bool ended_ = false;  // the command
  bool told_ = false;   // by SIGTERM
  bool stop_ = false;
};

}  // namespace paddock::sandbox
