#include "controller/http_server/worker_pool.h"

#include <algorithm>
#include <utility>

#include "controller/base/idle_thread.h"

namespace paddock::http_server {
namespace {

constexpr size_t kSpare = 8;        // so many wait for work for ever
constexpr Millis kKeep{5'000};      // the others for so long
constexpr Millis kEver{3'600'000};  // and then once more

}  // namespace

bool WorkerPool::run(Work work) {
  // With the lock, so that the worker is still there when it is told.
  const bool given = state_.with([&](State& state) {
    if (state.idle.empty()) return false;
    Worker& worker = *state.idle.back();
    state.idle.pop_back();
    worker.work = std::move(work);
    worker.given.notify_one();
    return true;
  });
  // Moved into the thread's hands, which would else keep what it owns as long as the thread lives.
  return given ||
         threads_.start([this, work = std::move(work)]() mutable { serve(std::move(work)); });
}

void WorkerPool::stop() {
  state_.with([](State& state) {
    state.stopping = true;
    for (Worker* worker : std::exchange(state.idle, {})) worker->given.notify_one();
  });
  threads_.join_all();
}

void WorkerPool::serve(Work work) {
  Worker self;
  while (work) {
    work();
    work = nullptr;  // what it owns goes before the wait
    work = next(self);
  }
}

// The worker's next work; nothing if this worker is to end.
WorkerPool::Work WorkerPool::next(Worker& self) {
  const bool goes_on = state_.with([&](State& state) {
    if (!state.stopping) state.idle.push_back(&self);
    return !state.stopping;
  });
  if (!goes_on) return nullptr;
  if (!wait(self, kIdleAfter)) {
    thread_is_idle();
    if (!wait(self, kKeep)) {
      thread_is_idle_for_long();
      if (leave_if_spare(self)) return nullptr;
      while (!wait(self, kEver)) {
      }
    }
  }
  return std::exchange(self.work, nullptr);
}

// Whether it has work, or shall stop.
bool WorkerPool::wait(Worker& self, Millis limit) {
  return state_.wait_for(
      self.given, limit, [&](const State& state) { return self.work != nullptr || state.stopping; },
      [](State&, bool ready) { return ready; });
}

bool WorkerPool::leave_if_spare(Worker& self) {
  return state_.with([&](State& state) {
    const bool leaves = !self.work && !state.stopping && state.idle.size() > kSpare;
    if (leaves) std::erase(state.idle, &self);
    return leaves;
  });
}

}  // namespace paddock::http_server
