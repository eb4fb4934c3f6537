// Keeps the time of one command that is executed in a run beside the run's own, and ends it: at its
// limit, when its client hangs up, or with the run. A thread of its own, which hears the command's
// keeper (child/exec_keeper.h) and neither drains output, answers questions nor writes to anybody,
// so nothing that the command does can put off its end. Thread-safe.
#pragma once

#include <pthread.h>

#include <array>
#include <mutex>
#include <optional>
#include <vector>

#include "common/base/time.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/result/outcome.h"

namespace paddock::sandbox {

struct ExecTimed {
  const Clock& clock;
  int client = -1;    // it ends when this hangs up
  int run_over = -1;  // readable once the run has ended
  Millis time{0};     // the most that it may take
  Millis cancel_grace{0};
  Millis limit_grace{0};
  bool terminal = false;  // it has one
};

class ExecTimeKeeper {
 public:
  // `control`: the talk with the command's keeper.
  ExecTimeKeeper(os::Fd control, const ExecTimed& timed);
  ~ExecTimeKeeper();
  ExecTimeKeeper(const ExecTimeKeeper&) = delete;
  ExecTimeKeeper& operator=(const ExecTimeKeeper&) = delete;

  // Starts the thread. Call it first; an error: the host has no thread to give.
  Status start();
  // Readable when there is something to take, or the state has changed.
  int fd() const { return news_.get(); }
  // What the command's keeper said, in its order.
  std::vector<ControlMessage> take();
  // Nobody could learn of this command any more: it is killed.
  void cancel();

  struct State {
    EndCause cause = EndCause::kNone;
    std::optional<MonoTime> started;
    std::optional<int> wait_status;
    Millis cpu{0};
    bool run_over = false;
    bool cut_short = false;        // by the run's end
    bool stood_still = false;      // the run did, so nothing was begun
    std::optional<MonoTime> over;  // nothing of it executes any more, or will go away
  };
  State state() const;

 private:
  static void* keep(void* self);
  void keep_time();
  void hear_keeper();
  void hear_client();
  void hear_run();
  void note(const ControlMessage& message);
  void look(MonoTime now);
  void end(EndCause cause, Millis grace);
  void kill();
  void wait_no_longer_than(Millis patience);
  std::optional<MonoTime> next() const;
  void tell() const;

  const ExecTimed timed_;
  pthread_t thread_{};
  bool has_thread_ = false;
  os::Fd news_;  // eventfds
  os::Fd wake_;

  mutable std::mutex lock_;  // protects everything below; never held during a wait
  os::Fd control_;
  int client_;
  MonoTime now_;
  MonoTime setup_end_;
  std::vector<ControlMessage> said_;
  State state_;
  bool failed_ = false;  // setting up, or executing
  std::optional<MonoTime> kill_at_;
  std::optional<MonoTime> gives_up_;  // what was killed is waited for no longer
  bool stop_ = false;
};

}  // namespace paddock::sandbox
