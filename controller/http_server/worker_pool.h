// Threads for work that may block: one is begun when all others are busy, and it is kept a while
// for the next piece of work. A bound on the work is a bound on the threads. Thread-safe.
#pragma once

#include <condition_variable>
#include <functional>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/units.h"
#include "common/os/event.h"
#include "controller/http_server/thread_group.h"

namespace paddock::http_server {

class WorkerPool {
 public:
  // `finished` is as of ThreadGroup.
  explicit WorkerPool(os::Event finished) : threads_(std::move(finished)) {}
  ~WorkerPool() { stop(); }

  // Runs `work`, which must not throw, soon on a thread of its own. False: there is no thread to be
  // had, and `work` was not called. Not after stop().
  bool run(std::function<void()> work);
  // Waits for all work, and joins all.
  void stop();
  // These are about the threads that ended: see ThreadGroup.
  int finished_fd() const { return threads_.finished_fd(); }
  void join_finished() { threads_.join_finished(); }

 private:
  using Work = std::function<void()>;
  struct Worker {
    std::condition_variable given;
    Work work;
  };
  struct State {
    std::vector<Worker*> idle;  // the last one is given work first: the others may end
    bool stopping = false;
  };
  void serve(Work work);
  Work next(Worker& self);
  bool wait(Worker& self, Millis limit);
  bool leave_if_spare(Worker& self);

  Guarded<State> state_;
  ThreadGroup threads_;  // joined before the state goes
};

}  // namespace paddock::http_server
