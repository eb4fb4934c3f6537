// A few threads that do short pieces of work in the order in which they came. The work waits for
// nobody: whoever must, takes a thread of WorkerPool. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>

#include "common/base/guarded.h"
#include "common/os/event.h"
#include "controller/http_server/thread_group.h"

namespace paddock::http_server {

class StepPool {
 public:
  using Step = std::function<void()>;
  // `finished` is as of ThreadGroup.
  explicit StepPool(os::Event finished) : threads_(std::move(finished)) {}
  ~StepPool() { stop(); }

  // Before all else. False: not even one thread is to be had.
  bool start(size_t threads);
  // Does `step`, which must not throw, soon. False after stop(): it was not taken.
  bool run(Step step);
  // Does what was taken, and joins all.
  void stop();

 private:
  struct State {
    std::deque<Step> steps;
    size_t asleep = 0;  // threads that have no step
    bool stopping = false;
  };
  void work();
  Step next();  // nothing: the end
  static Step take(State& state);

  std::condition_variable given_;
  Guarded<State> state_;
  ThreadGroup threads_;  // joined before the state goes
};

}  // namespace paddock::http_server
