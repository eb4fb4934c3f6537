// How a run is told to stop, from another thread. A stronger wish replaces a weaker one.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>

#include "common/base/units.h"
#include "common/os/event.h"

namespace paddock::executor {

enum class StopKind {
  kNone,
  kCancel,  // the run shall end, and its outcome be reported
  kKill,    // the same, without what is left of its grace
  kDetach,  // the agent leaves; what runs goes on without it
  kForget,  // the run is not ours any more: end it, report nothing
};

class StopSignal {
 public:
  void raise(StopKind kind);
  StopKind kind() const;
  bool at_least(StopKind kind) const { return this->kind() >= kind; }
  // Wakes who waits on fd(), and wishes nothing.
  void nudge();
  // Readable after each raise() and nudge() until acknowledge().
  int fd() const { return event_.fd(); }
  void acknowledge();
  // Waits; true as soon as the wish is at least `kind`.
  bool wait(Millis limit, StopKind kind) const;

  // Calls `then` once the wish is at least `kind`: from raise(), or at once if it already is.
  class Watch {
   public:
    Watch(StopSignal& signal, StopKind kind, std::function<void()> then);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    StopSignal& signal_;
    int id_ = 0;
  };

 private:
  struct Entry {
    StopKind kind;
    std::function<void()> then;
  };
  mutable std::mutex mutex_;
  mutable std::condition_variable raised_;
  StopKind kind_ = StopKind::kNone;
  int next_id_ = 1;
  std::map<int, Entry> watches_;
  os::Event event_;
};

}  // namespace paddock::executor
