#include "controller/http_server/thread_group.h"

#include <csignal>
#include <memory>

namespace paddock::http_server {
namespace {

constexpr size_t kStackBytes = 2 << 20;

// New threads inherit the mask: signals stay with the threads that want them, and a write to a
// closed connection is an error instead of a SIGPIPE.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fatal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP})
      sigdelset(&all, fatal);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

bool create(pthread_t& thread, void* (*entry)(void*), void* argument) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const BlockedSignals blocked;
  const bool created = pthread_create(&thread, &attributes, entry, argument) == 0;
  pthread_attr_destroy(&attributes);
  return created;
}

}  // namespace

struct ThreadGroup::Task {
  ThreadGroup& threads;
  uint64_t id;
  std::function<void()> work;
};

void* ThreadGroup::run(void* argument) {
  std::unique_ptr<Task> task(static_cast<Task*>(argument));
  task->work();
  task->work = nullptr;  // what it owns goes before the thread counts as finished
  task->threads.leave(task->id);
  return nullptr;
}

bool ThreadGroup::start(std::function<void()> work) {
  return state_.with([&](State& state) {
    auto task = std::make_unique<Task>(Task{*this, state.next++, std::move(work)});
    pthread_t thread{};
    if (!create(thread, &ThreadGroup::run, task.get())) return false;
    state.running.emplace(task->id,
                          thread);  // the new thread cannot leave() before we are out of here
    (void)task.release();           // its own now
    return true;
  });
}

void ThreadGroup::leave(uint64_t id) {
  state_.with([&](State& state) {
    state.finished.push_back(state.running.at(id));
    state.running.erase(id);
    finished_.raise();
    changed_.notify_all();
  });
}

size_t ThreadGroup::size() const {
  return state_.with([](const State& state) { return state.running.size(); });
}

void ThreadGroup::join_finished() {
  finished_.clear();
  const std::vector<pthread_t> finished =
      state_.with([](State& state) { return std::exchange(state.finished, {}); });
  for (const pthread_t thread : finished) pthread_join(thread, nullptr);
}

void ThreadGroup::join_all() {
  while (!state_.wait_for(
      changed_, std::chrono::seconds(60), [](const State& state) { return state.running.empty(); },
      [](const State&, bool empty) { return empty; })) {
  }
  join_finished();
}

}  // namespace paddock::http_server
