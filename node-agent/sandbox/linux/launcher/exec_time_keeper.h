// Keeps the time of one command that is executed in a run beside the run's own, and ends it (see
// ExecLife). A thread of its own, which hears the command's keeper (child/exec_keeper.h) and
// neither drains output, answers questions nor writes to anybody else, so nothing that the command
// does can put off its end. Thread-safe.
#pragma once

#include <pthread.h>

#include <mutex>
#include <vector>

#include "common/base/time.h"
#include "common/os/event.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/launcher/exec_life.h"

namespace paddock::sandbox {

struct ExecTimed {
  const Clock& clock;
  int client = -1;        // it ends when this hangs up
  int run_over = -1;      // readable once the run has ended
  bool terminal = false;  // it has one
  ExecTimes times;
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
  // Readable when there is news.
  int fd() const { return news_.fd(); }
  struct News {
    std::vector<ControlMessage> said;  // by the command's keeper since the last call, in its order
    ExecLife::State state;             // as of all that
  };
  News take();
  // Nobody could learn of this command any more: it is killed.
  void cancel();

 private:
  static void* keep(void* self);
  void keep_time();
  ExecLife::Step hear_client();
  bool hear_keeper();
  void note(const ControlMessage& message);
  void take(ExecLife::Step step);
  void tell_of(const ExecLife::State& before) const;

  const ExecTimed timed_;
  pthread_t thread_{};
  bool has_thread_ = false;
  const os::Event news_;
  const os::Event wake_;

  std::mutex lock_;  // protects everything below; never held during a wait
  os::Fd control_;
  int client_;
  ExecLife life_;
  std::vector<ControlMessage> said_;
  bool stop_ = false;
};

}  // namespace paddock::sandbox
