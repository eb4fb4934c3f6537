// Connections that wait and hold no thread: one thread polls for all of them, and each is resumed
// once, by whichever comes first of its client, a wake(), its deadline and the stop. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/base/guarded.h"
#include "common/os/event.h"
#include "common/os/fd.h"
#include "controller/http_server/deadline.h"
#include "controller/http_server/stop_signal.h"

namespace paddock::http_server {

class IdlePoller {
 public:
  // What of its client a connection waits for. Readable includes the end of what the client sends;
  // each of them includes that the connection is broken.
  enum class Interest { kReadable, kHangUp, kWritable };
  enum class Reason { kReady, kWoken, kDeadline, kStopping };
  // Called on the polling thread, or the one that calls wake(), without a lock of this object:
  // returns quickly and does not throw.
  using Resume = std::function<void(Reason)>;

  static Result<os::Fd> make_poll();
  IdlePoller(os::Fd poll, os::Event wakeup, const StopSignal& stop)
      : poll_(std::move(poll)), wakeup_(std::move(wakeup)), stop_(stop) {}

  // From here until `resume` is called the connection is this object's: the caller does nothing
  // with it, and it stays open. What is so already is told too. Returns what to wake it by, which
  // no other has before or after. Nothing: the kernel has no room for it, or the server stops;
  // `resume` is not called then.
  std::optional<uint64_t> park(int connection, Interest interest, Deadline until, Resume resume);
  // Resumes it, if nobody has until now.
  void wake(uint64_t id) { resume(id, Reason::kWoken); }
  size_t parked() const;
  // Resumes whom it concerns until the stop, which concerns everybody. When it returns, no resume
  // is under way, not on a thread that calls wake() either, and none follows. One thread calls it.
  void poll_until_stopped();

 private:
  struct Parked {
    Deadline until;
    Resume resume;
  };
  struct State {
    uint64_t last = 0;
    // By park() and not by descriptor, whose number comes round: what the kernel tells of an
    // earlier one is not found here.
    std::map<uint64_t, Parked> parked;
    std::set<std::pair<Deadline, uint64_t>> by_deadline;  // the same
    std::optional<Deadline> sleeps_until;                 // the polling thread; absent: for ever
    size_t resuming = 0;  // taken out, by a resume that has not returned
    bool stopped = false;
  };
  static Parked take(State& state, uint64_t id);
  bool arm(int connection, Interest interest, uint64_t id) const;
  int next_timeout_ms();
  void resume(uint64_t id, Reason reason);
  void resume_overdue();
  void resume_all();
  void wait_for_resumes();

  os::Fd poll_;
  os::Event wakeup_;
  const StopSignal& stop_;
  std::condition_variable resumed_;
  Guarded<State> state_;
};

}  // namespace paddock::http_server
