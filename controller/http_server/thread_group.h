// Threads that come and go, every one of them joined. Thread-safe.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "common/base/guarded.h"
#include "common/os/event.h"

namespace paddock::http_server {

class ThreadGroup {
 public:
  // `finished` is raised whenever a thread is ready to be joined.
  explicit ThreadGroup(os::Event finished) : finished_(std::move(finished)) {}
  ~ThreadGroup() { join_all(); }

  // Runs `work` on a thread with a small stack that receives no signals. False: no thread to be
  // had.
  bool start(std::function<void()> work);
  size_t size() const;
  int finished_fd() const { return finished_.fd(); }
  void join_finished();
  void join_all();

 private:
  struct State {
    uint64_t next = 0;
    std::map<uint64_t, pthread_t> running;
    std::vector<pthread_t> finished;
  };
  struct Task;
  static void* run(void* task);
  void leave(uint64_t id);

  os::Event finished_;
  mutable std::condition_variable changed_;
  Guarded<State> state_;
};

}  // namespace paddock::http_server
